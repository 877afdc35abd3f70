import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.js';
import { configWith, loadConfig, summarize } from './load-config.js';
import { settingsOf } from './setting.js';
import { SETTINGS } from './settings.js';

const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string, name = 'hub.yaml'): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function problemsOf(environment: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('gives the declared defaults when nothing is set', () => {
    const config = loadConfig({});
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 4000, bodyLimit: 10_485_760 });
    expect(config.tasks).toMatchObject({ blockingWaitMs: 300_000, contextTtlDays: 30 });
    expect(config.push.scheduleMs.at(-1)).toBe(36_000_000);
    expect(config.card.provider).toBeNull();
    expect(config.card.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('puts the file over the defaults and the environment over both', () => {
    const config = loadConfig({
      A2A_HUB_CONFIG: file(
        'tasks:\n  blockingWait: 2m\n  lease: 9s\npush: {schedule: [1s, 250ms]}\nserver:\n',
      ),
      A2A_HUB__TASKS__LEASE: '45s',
      A2A_HUB__EGRESS__ALLOW: '10.0.0.0/8, agents.internal',
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__TASKS__ACCEPT_CLIENT_TASK_IDS: 'true',
      A2A_HUB__PUBLIC_URL: 'https://hub.example/base/',
    });
    expect(config.tasks).toMatchObject({
      blockingWaitMs: 120_000,
      leaseMs: 45_000,
      acceptClientTaskIds: true,
    });
    expect(config.push.scheduleMs).toEqual([1000, 250]);
    expect(config.egress.allow).toEqual(['10.0.0.0/8', 'agents.internal']);
    expect(config.server.port).toBe(0);
    expect(config.publicUrl).toBe('https://hub.example/base');
  });

  it('reads JSON as well', () => {
    const path = file('{"card": {"name": "Ours"}}', 'hub.json');
    expect(loadConfig({ A2A_HUB_CONFIG: path }).card.name).toBe('Ours');
  });

  it('is frozen to the last member', () => {
    const config = loadConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.push.scheduleMs)).toBe(true);
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError);
  });

  it('lists everything that is wrong at once, with key, source, value and what is allowed', () => {
    const path = file(
      'tasks: {lease: soon}\nnonsense: 1\npush: {jitter: "0.2", nope: 1}\nquotas: {overrides: []}\n',
    );
    const problems = problemsOf({
      A2A_HUB_CONFIG: path,
      A2A_HUB__SERVER__PORT: '70000',
      A2A_HUB__SERVER__HOST: '0.0.0.0',
      A2A_HUB__NOPE: '1',
    });
    expect(problems).toEqual([
      expect.stringContaining(`nonsense (${path}): is not a setting`),
      expect.stringContaining(`push.nope (${path}): is not a setting of the hub; known here:`),
      expect.stringContaining(`quotas.overrides (${path}): is no setting of the hub any more`),
      expect.stringContaining('A2A_HUB__NOPE (environment): is not a setting'),
      expect.stringContaining(
        'server.port (A2A_HUB__SERVER__PORT): "70000" is not a whole number from 0 to 65535',
      ),
      expect.stringContaining(`tasks.lease (${path}): "soon" is not a duration such as`),
      expect.stringContaining(`push.jitter (${path}): "0.2" is not a number from 0 to 1`),
      expect.stringContaining('publicUrl'),
    ]);
  });

  it('says when the file is missing, is not YAML or is not a mapping', () => {
    expect(problemsOf({ A2A_HUB_CONFIG: '/does/not/exist' })[0]).toContain(
      '/does/not/exist (A2A_HUB_CONFIG): cannot be read',
    );
    expect(problemsOf({ A2A_HUB_CONFIG: file('a: [1') })[0]).toContain('cannot be read');
    expect(problemsOf({ A2A_HUB_CONFIG: file('- 1') })[0]).toContain('is not a mapping');
    expect(problemsOf({ A2A_HUB_CONFIG: file('server: 5') })[0]).toContain('is not a mapping');
  });

  it('names the file once in whatever is wrong with it', () => {
    const contents = [
      '- 1',
      '7',
      'a: [1',
      'a: 1\na: 2',
      'server: 5',
      'nothing: 1',
      'tasks: { x: 1 }',
    ];
    for (const path of [...contents.map((content) => file(content)), '/does/not/exist', tmpdir()]) {
      const lines = problemsOf({ A2A_HUB_CONFIG: path }).join('\n');
      expect([path, lines.split(path)]).toEqual([path, [expect.anything(), expect.anything()]]);
    }
  });

  it('leaves references as they are that are read when they are needed', () => {
    const written = {
      auth: {
        issuers: [
          {
            ...{ id: 'kc', issuer: 'https://kc.example', organization: 'acme' },
            introspection: { clientId: 'hub', clientSecretRef: 'env:NOT_READ_AT_THE_START' },
          },
          {
            ...{ id: 'other', issuer: 'https://other.example', organization: 'acme' },
            introspection: { clientId: 'hub', clientSecret: 'env:READ_AT_THE_START' },
          },
        ],
      },
    };
    const { auth } = loadConfig({
      ...{ A2A_HUB_CONFIG: file(JSON.stringify(written)), READ_AT_THE_START: 'the secret' },
    });
    expect(auth.issuers.map(({ introspection }) => introspection)).toEqual([
      { clientId: 'hub', clientSecretRef: 'env:NOT_READ_AT_THE_START' },
      { clientId: 'hub', clientSecret: 'the secret' },
    ]);
  });

  it('takes secrets from a variable or a file and never shows them', () => {
    const secret = 's3cret-s3cret-s3cret-s3cret';
    const fromFile = loadConfig({ A2A_HUB__AUTH__ADMIN_KEY: `file:${file(`${secret}\n`, 'key')}` });
    expect(fromFile.auth.adminKey).toBe(secret);
    const fromVariable = loadConfig({ A2A_HUB__AUTH__ADMIN_KEY: 'env:THE_KEY', THE_KEY: secret });
    expect(fromVariable.auth.adminKey).toBe(secret);
    expect(problemsOf({ A2A_HUB__AUTH__ADMIN_KEY: 'env:NOT_THERE' })).toEqual([
      '  auth.adminKey (A2A_HUB__AUTH__ADMIN_KEY): the variable NOT_THERE is not set',
    ]);
    const short = problemsOf({ A2A_HUB__AUTH__ADMIN_KEY: 'too-short' });
    expect(short[0]).toContain('24 or more');
    expect(short[0]).not.toContain('too-short');
  });

  it.each([
    [{ A2A_HUB__AUTH__MODE: 'none', A2A_HUB__SERVER__HOST: '0.0.0.0' }, 'auth.mode'],
    [{ A2A_HUB__SERVER__HOST: '::' }, 'publicUrl'],
    [{ A2A_HUB__ROLE: 'worker' }, 'role'],
    [{ A2A_HUB__CARD__PROVIDER__ORGANIZATION: 'Acme' }, 'card.provider'],
    [{ A2A_HUB__AGENTS__POLL_MIN: '1m' }, 'agents.pollMin'],
    [{ A2A_HUB__AGENTS__POLL_MAX: '20ms' }, 'agents.pollMin'],
    [{ A2A_HUB__AGENTS__HEALTH__OPEN_MIN: '1h' }, 'agents.health.openMin'],
    [{ A2A_HUB__AGENTS__HEALTH__OPEN_MAX: '1s' }, 'agents.health.openMin'],
    [{ A2A_HUB__GRPC__PORT: '4000' }, 'grpc.port'],
    [{ A2A_HUB__GRPC__PUBLIC_URL: 'https://grpc.example.com/path' }, 'grpc.publicUrl'],
    [{ A2A_HUB__GRPC__TLS_CERTIFICATE: 'x' }, 'grpc.tlsKey'],
    [{ A2A_HUB__ROUTING__EXTERNAL__URL: 'https://r.example' }, 'routing.external.token'],
    [{ A2A_HUB__GRPC__TLS_CERTIFICATE: 'x', A2A_HUB__GRPC__TLS_KEY: 'y' }, 'grpc.tlsCertificate'],
  ])('refuses %j', (environment, key) => {
    const problems = problemsOf({ ...environment });
    expect(problems.some((problem) => problem.startsWith(`  ${key} (`))).toBe(true);
  });

  it('allows auth.mode none on loopback, or anywhere with auth.allowOpen', () => {
    expect(problemsOf({ A2A_HUB__AUTH__MODE: 'none' })).toEqual([]);
    expect(
      problemsOf({
        A2A_HUB__AUTH__MODE: 'none',
        A2A_HUB__AUTH__ALLOW_OPEN: 'true',
        A2A_HUB__SERVER__HOST: '0.0.0.0',
        A2A_HUB__PUBLIC_URL: 'https://hub.example',
      }),
    ).toEqual([]);
  });

  it('reads declared agents as they are written, their headers as secrets', () => {
    const path = file(`
agents:
  declared:
    - {id: csv, cardUrl: https://agents.example/csv, headers: {authorization: 'env:CSV_KEY'}}
`);
    const config = loadConfig({ A2A_HUB_CONFIG: path, CSV_KEY: 'Bearer x' });
    expect(config.agents.declared).toEqual([
      { id: 'csv', cardUrl: 'https://agents.example/csv', headers: { authorization: 'Bearer x' } },
    ]);
    expect(summarize(config)['agents.declared']).toBe('csv');
  });

  it('says nothing of what follows from a setting that is wrong', () => {
    const config = `{server: {tls: {certificate: /etc/hub.pem, clientCa: x}}, auth: {certificates: [{name: a}]}}`;
    const problems = problemsOf({ A2A_HUB_CONFIG: file(config) }).join('\n');
    expect(problems).toMatch(/server\.tls\.certificate .*is the path of a file: write file:/);
    expect(problems).toContain('auth.certificates');
    expect(problems).not.toContain('lets no caller in');
  });

  it('reads whose keys sign the cards of an origin, and says where that is wrong', () => {
    const right = '[{origin: "https://A.example/", jwksUrl: "https://a.example/keys"}]';
    const { agents } = loadConfig({
      A2A_HUB_CONFIG: file(`agents: {cardSignatures: require, trustedKeys: ${right}}`),
    });
    expect(agents.cardSignatures).toBe('require');
    expect(agents.trustedKeys).toEqual([
      { origin: 'https://a.example', jwksUrl: 'https://a.example/keys' },
    ]);
    const wrong =
      '[{origin: "https://a.example/path", jwksUrl: "file:x"}, {origin: a, more: 1}, text, {origin: "https://b.example"}, {origin: "https://B.example/"}]';
    const problems = problemsOf({
      A2A_HUB_CONFIG: file(`agents: {trustedKeys: ${wrong}}`),
    }).join('\n');
    for (const fault of [
      '[0].origin: is not an origin without a path',
      '[0].jwksUrl: is not an http(s) address',
      '[1].more: is not a member',
      '[1].origin: is not an origin',
      '[2]: is not a mapping',
      '[4].origin: is that of an entry before it',
    ]) {
      expect(problems).toContain(fault);
    }
    expect(problemsOf({ A2A_HUB__AGENTS__TRUSTED_KEYS: 'x' })[0]).toContain('agents.trustedKeys');
  });
});

describe('summarize', () => {
  it('shows no password that is a parameter of the address of the database', () => {
    const url = 'postgres://hub@db/hub?password=s3cret&sslmode=require';
    const shown = summarize(loadConfig({ A2A_HUB__DATABASE__URL: url }));
    expect(shown['database.url']).toBe('postgres://hub@db/hub?…');
  });

  it('has every key, written as in YAML, with secrets masked', () => {
    const summary = summarize(
      configWith({
        auth: { adminKey: 'k'.repeat(30) },
        database: { url: 'postgres://hub:pa:ss@word@db/hub' },
        card: { provider: { organization: 'Acme', url: 'https://acme.example' } },
      }),
    );
    expect(Object.keys(summary)).toEqual([...settingsOf(SETTINGS)].map(({ key }) => key));
    expect(summary).toMatchObject({
      'auth.adminKey': '********',
      'database.url': 'postgres://hub:********@db/hub',
      'tasks.blockingWait': '5m',
      'server.bodyLimit': '10MiB',
      'card.provider.organization': 'Acme',
    });
    expect(JSON.stringify(summary)).not.toContain('ss@word');
  });
});

describe('configWith', () => {
  it('replaces members and checks relations', () => {
    const config = configWith({ agents: { pollMinMs: 50 }, egress: { allow: ['127.0.0.1'] } });
    expect(config.agents).toMatchObject({ pollMinMs: 50, pollMaxMs: 15_000 });
    expect(config.egress.allow).toEqual(['127.0.0.1']);
    expect(() => configWith({ server: { host: '0.0.0.0' } })).toThrow(ConfigError);
  });
});
