import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as tick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Egress } from '../../common/egress/egress.js';
import { TEST_SECRET_KEY, testSecrets } from '../../common/fake-secrets.js';
import type { Log } from '../../common/logger.js';
import { type Grantee, readReferred } from '../../common/secret-references/referred-secret.js';
import { SecretUnavailableError } from '../../common/secret-references/secret-references.js';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { type AppConfig, type ConfigOverrides, configWith } from '../../config/index.js';
import { KeptReferences } from './kept-references.js';

let folder: string;
let mounted: string;
let clock: SettableClock;
let logged: string[];
const egress = new Egress({ allow: [] });

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hub-references-')));
  mounted = join(folder, 'mounted');
  mkdirSync(mounted);
  clock = new SettableClock();
  logged = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  delete process.env['REFERENCE_TEST'];
});

function references(
  secrets: ConfigOverrides['secrets'] = {},
  settings: ConfigOverrides = {},
  change = (config: AppConfig): AppConfig => config,
): KeptReferences {
  const note = (fields: object, text?: string): void => {
    logged.push(JSON.stringify(fields) + text);
  };
  const log = { debug: note, info: note, warn: note, error: note } as unknown as Log;
  const config = configWith({
    database: { url: `sqlite:${join(folder, 'hub.db')}` },
    auth: { adminKey: 'admin-key-of-this-test-0123456789' },
    ...settings,
    secrets: {
      references: { files: [{ allow: mounted, organizations: [] }] },
      staleForMs: 60_000,
      ...secrets,
    },
  });
  return new KeptReferences(change(config), testSecrets(), egress, clock, log);
}

const stored = (secretRef: string, grantee: Grantee = 'hub', prefix = ''): string =>
  readReferred({ secretRef, prefix }, grantee)!;

/** Puts another version in place as Kubernetes does: a link is turned from one directory to the next. */
function mount(version: string, files: Readonly<Record<string, string>>): void {
  const directory = join(mounted, `..${version}`);
  mkdirSync(directory);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(directory, name), text);
    try {
      symlinkSync(join('..data', name), join(mounted, name));
    } catch {
      // It is there since the first version.
    }
  }
  symlinkSync(`..${version}`, join(mounted, '..new'));
  renameSync(join(mounted, '..new'), join(mounted, '..data'));
}

describe('referenced secrets', () => {
  it('are themselves where they are no references', async () => {
    const kept = references();
    expect(kept.current('env:A')).toBe('env:A');
    expect(await kept.resolve('file:/etc/passwd')).toBe('file:/etc/passwd');
    expect(kept.view('x')).toBeUndefined();
    expect(await kept.refusalOf('x')).toBeUndefined();
  });

  it('are read of variables, once, with what stands before them', async () => {
    process.env['REFERENCE_TEST'] = 'abc';
    const kept = references({ references: { env: [{ allow: 'REFERENCE_*', organizations: [] }] } });
    const token = stored('env:REFERENCE_TEST', 'hub', 'Bearer ');
    expect(kept.current(token)).toBeUndefined();
    expect(await kept.resolve(token)).toBe('Bearer abc');
    process.env['REFERENCE_TEST'] = 'changed';
    clock.ms += 1e9;
    expect(kept.current(token)).toBe('Bearer abc');
    const absent = kept.resolve(stored('env:REFERENCE_ABSENT'));
    await expect(absent).rejects.toThrow(SecretUnavailableError);
    await expect(absent).rejects.toThrow(/env:REFERENCE_ABSENT is not set for this process/);
  });

  it('of files are read again when a mounted directory is turned to another version', async () => {
    mount('1', { token: 'first\n', 'all.json': '{"a":"one"}' });
    const kept = references();
    const [token, member] = [stored(`file:${mounted}/token`), stored(`file:${mounted}/all.json#a`)];
    expect([await kept.resolve(token), await kept.resolve(member)]).toEqual(['first', 'one']);
    mount('2', { token: 'second\n', 'all.json': '{"a":"two"}' });
    expect(kept.current(token)).toBe('first');
    clock.ms += 2500;
    // Not asked for in a while: it is read first.
    expect(kept.current(token)).toBeUndefined();
    expect([await kept.resolve(token), await kept.resolve(member)]).toEqual(['second', 'two']);
    expect(kept.current(token)).toBe('second');
  });

  it('of files are renewed beside those who use them', async () => {
    mount('1', { token: 'first' });
    const kept = references();
    const token = stored(`file:${mounted}/token`);
    await kept.resolve(token);
    mount('2', { token: 'second' });
    clock.ms += 1500;
    expect(kept.current(token)).toBe('first');
    for (let i = 0; i < 1000 && kept.current(token) === 'first'; i += 1) await tick(5);
    expect(kept.current(token)).toBe('second');
  });

  it('that are gone are not used any more; those that are away are, for a while', async () => {
    mount('1', { token: 'first' });
    const kept = references();
    const token = stored(`file:${mounted}/token`);
    await kept.resolve(token);
    // Empty for a moment, as a file that is being written is.
    mount('2', { token: '' });
    clock.ms += 2500;
    expect(await kept.resolve(token)).toBe('first');
    expect(kept.view(token)).toMatchObject({
      isReadable: false,
      problem: expect.stringContaining('is empty'),
    });
    clock.ms += 70_000;
    await expect(kept.resolve(token)).rejects.toThrow(/token is empty/);
    mount('3', { token: 'third' });
    clock.ms += 1500;
    expect(await kept.resolve(token)).toBe('third');
    rmSync(join(mounted, 'token'));
    clock.ms += 2500;
    await expect(kept.resolve(token)).rejects.toThrow(/is not there/);
    expect(kept.current(token)).toBeUndefined();
    expect(logged.join()).not.toMatch(/first|third/);
  });

  it('are logged once as used on, once as too old for that, and again after they were read', async () => {
    const file = join(mounted, 'token');
    writeFileSync(file, 'first');
    const kept = references();
    const token = stored(`file:${file}`);
    const told = (): string[] => logged.splice(0).map((line) => line.replace(/^.*}/, ''));
    const fail = async (afterMs: number): Promise<void> => {
      writeFileSync(file, '');
      clock.ms += afterMs;
      await kept.refresh(token);
    };
    await kept.resolve(token);
    for (const ms of [2500, 2500, 2500]) await fail(ms);
    expect(told()).toEqual([expect.stringContaining('the last value is used for now')]);
    for (const ms of [70_000, 2500, 2500]) await fail(ms);
    expect(told()).toEqual([expect.stringContaining('too old to be used')]);
    writeFileSync(file, 'second');
    clock.ms += 2500;
    expect(await kept.resolve(token)).toBe('second');
    await fail(2500);
    expect(told()).toEqual([expect.stringContaining('the last value is used for now')]);
    // It is another file behind a link that leads elsewhere.
    rmSync(file);
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere', 'outside'), 'not yours');
    symlinkSync(join(folder, 'elsewhere', 'outside'), file);
    clock.ms += 2500;
    await kept.refresh(token);
    await expect(kept.resolve(token)).rejects.toThrow(/leads out/);
    expect(told()).toEqual([expect.stringContaining('may not be used any more')]);
  });

  it('of a JSON file that is written in place are kept while it is half written', async () => {
    const file = join(mounted, 'all.json');
    writeFileSync(file, '{"a":"one"}');
    const kept = references();
    const member = stored(`file:${file}#a`);
    expect(await kept.resolve(member)).toBe('one');
    for (const half of ['{"a":"tw', Buffer.from('{"a":"\u00fc').subarray(0, 7)]) {
      writeFileSync(file, half);
      clock.ms += 2500;
      await kept.refresh(member);
      expect(await kept.resolve(member)).toBe('one');
      expect(kept.view(member)).toMatchObject({ isReadable: false });
    }
    writeFileSync(file, '{"a":"two"}');
    clock.ms += 2500;
    for (let i = 0; i < 1000 && kept.current(member) === 'one'; i += 1) await tick(5);
    expect(kept.current(member)).toBe('two');
  });

  it.each([
    ['a directory', () => mkdirSync(join(mounted, 'x')), 'is not a file'],
    ['what is too large', () => writeFileSync(join(mounted, 'x'), 'x'.repeat(65_537)), 'more than'],
    [
      'what is no text',
      () => writeFileSync(join(mounted, 'x'), Buffer.from([0xff, 0xfe])),
      'not text',
    ],
    ['nothing', () => undefined, 'is not there'],
  ])('are refused in %s', async (_, make, message) => {
    make();
    await expect(references().resolve(stored(`file:${mounted}/x`))).rejects.toThrow(message);
  });

  it('are not read through links that lead out of the directory', async () => {
    const outside = join(folder, 'elsewhere', 'outside');
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(outside, 'not yours');
    symlinkSync(outside, join(mounted, 'out'));
    const kept = references();
    const out = stored(`file:${mounted}/out`);
    expect(await kept.refusalOf(out)).toContain('leads out of the directories');
    await expect(kept.resolve(out)).rejects.toThrow(/leads out of the directories/);
    expect(await kept.resolve(stored(`file:${mounted}/out`, 'configuration'))).toBe('not yours');
  });

  it('are never the own secrets of the hub, wherever they are', async () => {
    writeFileSync(join(mounted, 'keys'), `k1:${TEST_SECRET_KEY.key}`);
    writeFileSync(join(mounted, 'admin'), 'admin-key-of-this-test-0123456789');
    writeFileSync(join(folder, 'hub.db.admin-key'), 'made by the hub');
    const kept = references({ references: { files: [{ allow: folder, organizations: ['*'] }] } });
    for (const name of ['keys', 'admin']) {
      const own = stored(`file:${mounted}/${name}`, { organization: 'acme' });
      expect(await kept.refusalOf(own)).toContain('a secret of the hub itself');
      await expect(kept.resolve(own)).rejects.toThrow('a secret of the hub itself');
    }
    const beside = stored(`file:${folder}/hub.db.admin-key`);
    await expect(kept.resolve(beside)).rejects.toThrow('beside the database');
  });

  it('are never what is secret in any setting of the hub', async () => {
    const keyFile = join(mounted, 'tls.key');
    const pem = '-----BEGIN PRIVATE KEY-----\nMIIByOfTheServer\n-----END PRIVATE KEY-----\n';
    const declared = [{ id: 'a', headers: { authorization: 'Bearer shared-with-an-agent' } }];
    const kept = references(
      { vault: { auth: { method: 'kubernetes', role: 'r', jwtFile: join(mounted, 'jwt') } } },
      {
        egress: { proxy: 'http://hub:proxy%20password@proxy:3128' },
        routing: { external: { url: 'https://router.example', token: 'router' } },
        auth: {
          issuers: [
            { id: 'i', introspection: { clientId: 'hub', clientSecret: 'introspection-1' } },
          ],
        },
        console: { signIn: [{ issuer: 'i', clientSecret: 'sign-in-secret-1' }] },
        audit: {
          export: [
            { id: 'e', url: 'https://e.example', authorization: 'Bearer of-the-audit-export' },
            { id: 'w', url: 'https://w.example', secret: 'whsec_b2YtdGhlLWV4cG9ydA==' },
          ],
        },
        telemetry: { traces: { headers: { 'x-collector': 'Api-Key of-the-collector' } } },
        agents: { declared },
      },
      (config) => ({
        ...config,
        server: { ...config.server, tls: { ...config.server.tls, key: { text: pem, file: null } } },
        grpc: { ...config.grpc, tlsKey: { text: 'before it was renewed', file: keyFile } },
      }),
    );
    const found = async (text: string, name = 'x'): Promise<string> => {
      writeFileSync(join(mounted, name), text);
      clock.ms += 2500;
      return kept.resolve(stored(`file:${mounted}/${name}`));
    };
    for (const text of [
      ...['proxy password', 'url=http://hub:proxy%20password@proxy:3128', 'router', 'router\n\n'],
      ...[pem, JSON.stringify({ pem }), 'introspection-1', '{"a":"sign-in-secret-1"}'],
      ...['of-the-audit-export', 'b2YtdGhlLWV4cG9ydA==', 'x=of-the-collector'],
    ]) {
      await expect(found(text)).rejects.toThrow('a secret of the hub itself');
    }
    for (const name of ['jwt', 'tls.key']) {
      await expect(found('renewed since', name)).rejects.toThrow('a secret of the hub itself');
    }
    // What is short is part of others by chance, and what agents are called with may be shared.
    for (const text of ['a router of another', 'hub', 'i', 'shared-with-an-agent']) {
      expect(await found(text)).toBe(text);
    }
  });

  it('count only while the settings allow them, also those that were stored before', async () => {
    writeFileSync(join(mounted, 'token'), 'abc');
    const before = stored(`file:${mounted}/token`);
    expect(await references().resolve(before)).toBe('abc');
    const kept = references({ references: { files: [] } });
    expect(await kept.refusalOf(before)).toContain('secrets.references.files');
    await expect(kept.resolve(before)).rejects.toThrow('secrets.references.files');
  });

  it('are read again once for all whose value was refused at the same time', async () => {
    const file = join(mounted, 'token');
    writeFileSync(file, 'first');
    const kept = references();
    const refused = stored(`file:${file}`);
    expect(await kept.resolve(refused)).toBe('first');
    writeFileSync(join(mounted, 'new'), 'second');
    renameSync(join(mounted, 'new'), file);
    const seen = await Promise.all(
      [1, 2, 3].map(async () => {
        await kept.refresh(refused);
        return kept.current(refused);
      }),
    );
    expect(seen).toEqual(['second', 'second', 'second']);
  });

  it('need the settings of Vault', async () => {
    const kept = references();
    await expect(kept.resolve(stored('vault:a#b', 'configuration'))).rejects.toThrow(
      'vault:a#b cannot be read: secrets.vault.address is not set',
    );
  });
});
