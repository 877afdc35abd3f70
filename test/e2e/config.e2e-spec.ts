import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig, summarize } from '../../src/config/index.js';
import { startHubProcess } from '../support/app.js';
import { Commands, type Ended, runProgram } from '../support/commands.js';
import { TEST_SECRET_KEY } from '../support/secret-box.js';
import { selfSigned } from '../support/self-signed.js';

const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-main-'));
afterAll(() => rmSync(folder, { recursive: true }));

let commands: Commands;
beforeAll(() => {
  commands = Commands.start(folder);
});
afterAll(() => commands.close());

/** Runs a command of the built hub beside others. */
function main(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  return commands.run(args, environment);
}

/** The same as a process of its own. */
function program(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  return runProgram(folder, args, environment);
}

describe('main', () => {
  it('shows its version and its help', async () => {
    expect(await program(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
    const help = await main(['--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('migrate');
  });

  it('shows every setting as it is in force, without secrets', async () => {
    const { code, stdout } = await main(['config'], {
      A2A_HUB__TASKS__BLOCKING_WAIT: '7s',
      A2A_HUB__AUTH__ADMIN_KEY: 's3cret-s3cret-s3cret-s3cret',
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tasks\.blockingWait: 7s$/m);
    expect(stdout).toContain('auth.adminKey: "********"');
    expect(stdout).not.toContain('s3cret');
    expect((await main(['config'], { A2A_HUB__SERVER__PORT: 'x' })).stderr).toContain(
      'server.port',
    );
  });

  it('tells in its log what a terminal is told, and all settings to who debugs', async () => {
    const first = async (level: string): Promise<string> => {
      const hub = await startHubProcess({ environment: { A2A_HUB__LOG__LEVEL: level } });
      await hub.close();
      return hub.output;
    };
    const info = await first('info');
    expect(info).not.toContain('tasks.blockingWait');
    expect(info).toMatch(/"callers":"with an API key".*"msg":"started"/);
    const debug = await first('debug');
    const line = debug.split('\n').find((text) => text.includes('"msg":"configuration"'));
    const config = { 'auth.adminKey': '********', 'tasks.blockingWait': '5m' };
    expect(JSON.parse(line!)).toMatchObject({ config });
  });

  it('says with config as well what is wrong with what the file declares', async () => {
    const file = join(folder, 'declared.yaml');
    writeFileSync(file, 'agents: { declared: [{ id: x, cardUrl: nonsense, weight: -3 }] }\n');
    const { code, stdout, stderr } = await main(['config'], { A2A_HUB_CONFIG: file });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('agents.declared[0].cardUrl');
    expect(stderr).toContain('agents.declared[0].weight');
  });

  it('refuses a command it does not know', async () => {
    const ended = await program(['destroy']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('Unknown command: destroy');
  });

  it('refuses to start with a wrong configuration and says all that is wrong', async () => {
    const ended = await program([], {
      A2A_HUB__SERVER__PORT: 'many',
      A2A_HUB__AUTH__ADMIN_KEY: 'short-secret',
      A2A_HUB__COLOUR: 'red',
    });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('server.port');
    expect(ended.stderr).toContain('auth.adminKey');
    expect(ended.stderr).toContain('A2A_HUB__COLOUR');
    expect(ended.stderr).not.toContain('short-secret');
    expect(ended.stderr).not.toContain('    at ');
  });

  it('says all that is wrong with rules and composite skills: file, place, what is known', async () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(
      file,
      `rules:
  - { name: one, targt: { agentId: x } }
  - { name: two, target: { agentId: x }, enabeld: true }
compositeSkills:
  - { id: c, name: C, description: c, steps: [{ name: s, agnt: x }] }
`,
    );
    const database = join(folder, 'never.db');
    const ended = await main([], {
      A2A_HUB_CONFIG: file,
      A2A_HUB__DATABASE__URL: `sqlite:${database}`,
    });
    expect(ended.code).toBe(1);
    for (const line of [
      `rules[0].targt (${file}): is not known here (is target meant?); known: `,
      `rules[0].target (${file}): is required`,
      `rules[1].enabeld (${file}): is not known here (is enabled meant?); known: `,
      `compositeSkills[0].steps[0].agnt (${file}): is not known here`,
    ]) {
      expect(ended.stderr).toContain(`\n  ${line}`);
    }
    expect(existsSync(database)).toBe(false);
  });

  describe('whose SQLite file cannot be used', () => {
    const refusal = async (path: string, command: string[] = []): Promise<string> => {
      const environment = {
        A2A_HUB__DATABASE__URL: `sqlite:${path}`,
        A2A_HUB__SERVER__PORT: '0',
        A2A_HUB__LOG__LEVEL: 'error',
      };
      const { code, stdout, stderr } = await main(command, environment);
      expect([code, stdout]).toEqual([1, '']);
      // One line, without a stack.
      expect(stderr).toMatch(/^The (hub could not start|command \S+ failed): [^\n]*\n$/);
      return stderr;
    };

    it('says in a sentence that it is damaged', async () => {
      const path = join(folder, 'noise.db');
      writeFileSync(path, 'no database at all'.repeat(1000));
      for (const command of [[], ['migrate']]) {
        const words = await refusal(path, command);
        expect(words).toContain(`the database ${path} cannot be used`);
        expect(words).toContain('bring it back from a backup');
      }
    });

    it('ends although there are traces, which are sent from time to time', async () => {
      const { code, stderr } = await program([], {
        A2A_HUB__DATABASE__URL: 'sqlite:/proc/none/hub.db',
        A2A_HUB__SECRETS__KEYS: `${TEST_SECRET_KEY.id}:${TEST_SECRET_KEY.key}`,
        A2A_HUB__SERVER__PORT: '0',
        A2A_HUB__TELEMETRY__TRACES__ENDPOINT: 'http://127.0.0.1:1/v1/traces',
        A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The hub could not start: the directory of the database, [^\n]*\n$/);
    });

    it('says in a sentence that it is no file, or that its side file is none of the hub', async () => {
      const inside = join(folder, 'folder.db');
      mkdirSync(inside);
      expect(await refusal(inside)).toContain('may read and write');
      const path = join(folder, 'beside.db');
      writeFileSync(`${path}.lock`, 'no database at all'.repeat(1000));
      expect(await refusal(path)).toContain(`${path}.lock, by which`);
    });
  });

  it('whose port for gRPC is taken says so once', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ended = await main([], {
      A2A_HUB__DATABASE__URL: 'sqlite::memory:',
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__GRPC__PORT: String(port),
      A2A_HUB__LOG__LEVEL: 'info',
    });
    server.close();
    expect(ended.stderr).toMatch(/^The hub could not start: gRPC .*\(grpc\.port\).*\n$/);
    expect(ended.stdout).not.toContain('EADDRINUSE');
  });

  describe('whose port is taken', () => {
    const key = 'a-key-that-nobody-may-see-in-a-log';
    let environment: Record<string, string>;
    let ended: Ended;

    beforeAll(async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      environment = {
        A2A_HUB__SERVER__PORT: String((server.address() as AddressInfo).port),
        A2A_HUB__AUTH__ADMIN_KEY: key,
        A2A_HUB__DATABASE__URL: `sqlite:${join(folder, 'taken.db')}`,
      };
      ended = await program([], environment);
      server.close();
    });

    it('says so, and lets the database go', async () => {
      expect(ended.code).toBe(1);
      const port = environment['A2A_HUB__SERVER__PORT'];
      expect(ended.stderr).toMatch(
        new RegExp(
          `^The hub could not start: port ${port} at 127.0.0.1 is in use.*server\\.port.*\\n$`,
        ),
      );
      expect(ended.stdout).not.toContain('EADDRINUSE');
      expect((await main(['migrate'], environment)).stdout).toContain('up to date');
    });

    it('has logged no secrets', () => {
      expect(ended.stdout + ended.stderr).not.toContain(key);
    });
  });
});

describe('the admin key', () => {
  const fresh = (name: string): Record<string, string> => ({
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(folder, name)}`,
  });

  it('is handed over before the port is bound', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = String((server.address() as AddressInfo).port);
    const ended = await main([], { ...fresh('first.db'), A2A_HUB__SERVER__PORT: port });
    server.close();
    expect(ended.code).toBe(1);
    const file = join(folder, 'first.db.admin-key');
    expect(ended.stdout).toContain(`The first admin key is in ${file}: keep it`);
    expect(readFileSync(file, 'utf8')).toMatch(/^hub_\S+\n$/);
  });

  it('is made from the shell, is valid, and the next start says since when there is one', async () => {
    const environment = fresh('shell.db');
    const nowhere = await main(['keys', 'create', '--admin'], environment);
    expect(nowhere).toMatchObject({ code: 1, stdout: '' });
    expect(nowhere.stderr).toContain(`there is no database ${join(folder, 'shell.db')}`);
    expect((await main(['migrate'], environment)).code).toBe(0);
    const made = await main(['keys', 'create', '--admin'], environment);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hub_\S+\n$/) });
    expect(made.stderr).toContain('A new admin key, shown this once');
    const databaseUrl = environment['A2A_HUB__DATABASE__URL']!;
    const hub = await startHubProcess({
      databaseUrl,
      environment: { A2A_HUB__AUTH__ADMIN_KEY: '' },
    });
    try {
      expect(hub.output).toMatch(/An admin key exists since \d{4}-\d\d-\d\dT\S+Z\. .*keys create/);
      const keys = await hub.admin('GET', '/api/v1/keys', undefined, made.stdout.trim());
      expect(keys).toMatchObject({ status: 200, body: { items: [{ scopes: ['admin'] }] } });
      const audit = await hub.admin('GET', '/api/v1/audit', undefined, made.stdout.trim());
      expect(audit.body.items).toMatchObject([
        { action: 'keys.create', outcome: 'succeeded', details: { by: 'command line' } },
        { action: 'keys.create', outcome: 'attempted', resourceId: keys.body.items[0].id },
      ]);

      const refused = await main(['keys', 'create', '--admin'], environment);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(
        /^The command keys create --admin failed: another process is using the database .*Stop it first/,
      );
    } finally {
      await hub.close();
    }
  });

  it('is not made in a database in memory', async () => {
    const made = await main(['keys', 'create', '--admin'], {
      A2A_HUB__DATABASE__URL: 'sqlite::memory:',
    });
    expect(made).toMatchObject({ code: 1, stdout: '' });
    expect(made.stderr).toContain('database.url');
  });
});

describe('references', () => {
  it('give a certificate and its key from files', () => {
    const { certificate, key } = selfSigned();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const [certificateFile, keyFile] = [file('cert.pem', certificate), file('key.pem', key)];
    const config = loadConfig({
      A2A_HUB__GRPC__TLS_CERTIFICATE: `file:${certificateFile}`,
      A2A_HUB__GRPC__TLS_KEY: `file:${keyFile}`,
    });
    expect(config.grpc).toMatchObject({
      tlsCertificate: { text: certificate.trim(), file: certificateFile },
      tlsKey: { text: key.trim(), file: keyFile },
    });
    const shown = summarize(config);
    expect(shown['grpc.tlsKey']).toBe(`file:${keyFile}`);
    expect(JSON.stringify(shown)).not.toContain('PRIVATE KEY');
  });
});
