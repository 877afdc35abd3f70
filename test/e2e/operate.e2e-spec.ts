import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BetterSqlite3, SQLITE_PACKAGE } from '../../src/database/better-sqlite3.js';
import { loadConfig } from '../../src/config/index.js';
import { type Hub, startHub } from '../support/app.js';

const page = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
const settings = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
let hub: Hub;

beforeAll(async () => {
  const issuer = { id: 'test', issuer: 'http://127.0.0.1:9', organization: 'acme' };
  const auth = { issuers: [{ ...issuer, audiences: ['https://hub.example'] }] };
  hub = await startHub({ config: { grpc: { port: -1 }, auth } });
});
afterAll(() => hub?.close());

function named(pattern: RegExp): string[] {
  return [...new Set([...page.matchAll(pattern)].map((match) => match[1]!))];
}

describe('docs/operate.md', () => {
  it('names only metrics that a hub has', async () => {
    const { text } = await hub.get('/metrics', { key: null });
    const metrics = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]!));
    const names = named(/\b(a2a_hub_[a-z0-9_]+)/g);
    expect(names.length).toBeGreaterThan(15);
    const isKnown = (name: string): boolean => metrics.has(name.replace(/_count$/, ''));
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('names only settings that there are', () => {
    const variables = named(/\b(A2A_HUB__[A-Z_]+)/g).filter((name) => !name.endsWith('_'));
    expect(variables.length).toBeGreaterThan(3);
    expect(variables.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
    const keys = named(/`((?:server|grpc|tasks|database|secrets|egress|push|log)\.[a-zA-Z.]+)`/g);
    expect(keys.filter((key) => !settings.includes(`### \`${key}\``))).toEqual([]);
  });

  it('installs the SQLite driver of every Node', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(manifest)).toHaveProperty('optionalDependencies.better-sqlite3');
    const command = /^npm ci .*npm prune.*$/m.exec(page)![0];
    expect(command).not.toContain('--omit=optional');
  });

  it('has the proxy add the address of the caller wherever it hands requests on', () => {
    const nginx = /```nginx\n(upstream.*?)```/s.exec(page)![1]!;
    const locations = nginx.split('location ').filter((each) => /(proxy|grpc)_pass/.test(each));
    expect(locations).toHaveLength(2);
    for (const location of locations) {
      const set = /(proxy|grpc)_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;/;
      expect(location).toMatch(set);
    }
  });

  it('makes a backup without sqlite3 that only its owner can read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-backup-'));
    const [source, backup] = [join(folder, 'hub.db'), join(folder, 'backup.db')];
    const database = new BetterSqlite3(source);
    database.exec('CREATE TABLE kept (it text)');
    const program = /node -e "(.*backup.*)"/.exec(page)![1]!;
    const here = program
      .replace('/data/hub.db', source)
      .replace('/data/backup.db', backup)
      // What the image has; this Node may need the other.
      .replace('better-sqlite3-napi', SQLITE_PACKAGE);
    const cwd = new URL('../..', import.meta.url);
    await promisify(execFile)(process.execPath, ['-e', here], { cwd, timeout: 20_000 });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const tables = new BetterSqlite3(backup).prepare('SELECT name FROM sqlite_master').pluck();
    expect(tables.all()).toEqual(['kept']);
    database.close();
    rmSync(folder, { recursive: true });
  });

  it('shows a configuration that can be loaded', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hub-operate-'));
    const file = join(folder, 'hub.yaml');
    writeFileSync(file, /```yaml\n(publicUrl.*?)```/s.exec(page)![1]!);
    const config = loadConfig({ A2A_HUB_CONFIG: file });
    rmSync(folder, { recursive: true });
    expect(config).toMatchObject({
      grpc: { port: 4001, publicUrl: 'https://hub.example.com' },
      egress: { allow: ['10.20.0.0/16'] },
    });
  });
});
