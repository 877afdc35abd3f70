import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SystemClock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import type { AppConfig } from './app-config.js';
import { ConfigChanges } from './config-changes.js';
import { ConfigError } from './config-error.js';
import { ProcessConfigSource } from './config-source.js';

let folder: string;
let file: string;
let changes: ConfigChanges;
let logged: [string, object][];
let applied: number[];
/** What the subscriber does with a configuration beside noting its port. */
let trouble: { prepare?: Error; apply?: Error };

const note =
  (level: string) =>
  (fields: object): void => {
    logged.push([level, fields]);
  };
const log: Log = {
  debug: note('debug'),
  info: note('info'),
  warn: note('warn'),
  error: note('error'),
};
/** Puts a new file in the place of the one before, as editors and deployments do. */
const write = (yaml: string): void => {
  writeFileSync(`${file}.new`, yaml);
  renameSync(`${file}.new`, file);
};
const second = (): Promise<void> => jest.advanceTimersByTimeAsync(1000);
const levels = (): string[] => logged.map(([level]) => level);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'a2a-hub-config-'));
  file = join(folder, 'hub.yaml');
  write('server: { port: 1 }');
  jest.useFakeTimers();
  [logged, applied, trouble] = [[], [], {}];
  const source = new ProcessConfigSource({ A2A_HUB_CONFIG: file });
  expect(source.load().server.port).toBe(1);
  changes = new ConfigChanges(source, new SystemClock(), log);
  changes.subscribe((config: AppConfig) => {
    if (trouble.prepare) return Promise.reject(trouble.prepare);
    return Promise.resolve(() => {
      if (trouble.apply) throw trouble.apply;
      applied.push(config.server.port);
    });
  });
  changes.onApplicationBootstrap();
});

afterEach(() => {
  changes.onModuleDestroy();
  jest.useRealTimers();
  rmSync(folder, { recursive: true });
});

describe('changes of the configuration file', () => {
  it('are put in force within a second, once', async () => {
    await second();
    expect(applied).toEqual([]);
    write('server: { port: 2 }');
    await second();
    await second();
    expect(applied).toEqual([2]);
    write('server: { port: 3 }');
    await second();
    expect(applied).toEqual([2, 3]);
    expect(levels()).toEqual(['info', 'info']);
  });

  it.each([
    ['no YAML', 'server: { port: '],
    ['a wrong value', 'server: { port: many }'],
    ['an unknown key', 'server: { door: 2 }'],
  ])('change nothing and are logged when the file has %s', async (_, yaml) => {
    write(yaml);
    await second();
    await second();
    expect(applied).toEqual([]);
    expect(levels()).toEqual(['error']);
    expect(logged[0]![1]).toMatchObject({ file, problems: [{ source: expect.any(String) }] });
    write('server: { port: 4 }');
    await second();
    expect(applied).toEqual([4]);
  });

  it('change nothing when a part of the hub cannot use them', async () => {
    const problem = { key: 'rules[0].target', source: 'file', text: 'is wrong' };
    changes.subscribe(() => Promise.reject(new ConfigError([problem])));
    write('server: { port: 5 }');
    await second();
    expect(applied).toEqual([]);
    expect(logged).toEqual([['error', { file, problems: [problem] }]]);
  });

  it('are tried again when they could not be put in force', async () => {
    trouble = { apply: new Error('no database') };
    write('server: { port: 6 }');
    await second();
    expect([applied, levels()]).toEqual([[], ['error']]);
    trouble = {};
    await second();
    await second();
    expect([applied, levels()]).toEqual([[6], ['error', 'info']]);
  });

  it('are a file that went away, which changes nothing, and one that came back', async () => {
    rmSync(file);
    await second();
    expect([applied, levels()]).toEqual([[], ['error']]);
    write('server: { port: 7 }');
    await second();
    expect(applied).toEqual([7]);
  });

  it('are not looked for after the end', async () => {
    changes.onModuleDestroy();
    write('server: { port: 8 }');
    await second();
    expect(applied).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
