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
let atStart: AppConfig;
let logged: [string, object][];
let texts: string[];
let applied: number[];
/** What becomes of putting a configuration in force beside noting its port. */
let trouble: { apply?: Error };

const note =
  (level: string) =>
  (fields: object, text: string): void => {
    logged.push([level, fields]);
    texts.push(text);
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
  [logged, texts, applied, trouble] = [[], [], [], {}];
  const source = new ProcessConfigSource({ A2A_HUB_CONFIG: file });
  atStart = source.load();
  expect(atStart.server.port).toBe(1);
  changes = new ConfigChanges(atStart, source, new SystemClock(), log);
  changes.subscribe((config: AppConfig) => {
    // As subscribers do, what is in force already is not put in force again.
    if (applied.at(-1) === config.server.port) return Promise.resolve(() => undefined);
    return Promise.resolve(() => {
      if (trouble.apply) throw trouble.apply;
      applied.push(config.server.port);
    });
  });
  changes.onApplicationBootstrap();
});

afterEach(async () => {
  await changes.onModuleDestroy();
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
    expect(levels()).toEqual(['warn', 'warn']);
  });

  it('are logged with the settings that need a restart, until they are as at the start', async () => {
    const rules = 'rules: [{ name: A, target: { agentId: a } }]';
    write(`{ server: { port: 2 }, agents: { pollMin: 20ms, declared: [] }, ${rules} }`);
    await second();
    write(`{ server: { port: 1 }, ${rules} }`);
    await second();
    expect(logged).toEqual([
      ['warn', { file, settings: ['server.port', 'agents.pollMin'] }],
      ['info', { file }],
    ]);
  });

  it.each([
    ['no YAML', 'server: { port: '],
    ['a wrong value', 'server: { port: many }'],
    ['an unknown key', 'server: { entrance: 2 }'],
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
    expect(logged).toEqual([['error', { file, problems: [{ ...problem, source: file }] }]]);
  });

  it('are logged with what each part of the hub finds wrong', async () => {
    const [one, two] = ['rules[0].target', 'compositeSkills[0].steps'].map((key) => ({
      key,
      source: 'file',
      text: 'is wrong',
    }));
    for (const each of [one!, two!]) {
      changes.subscribe(() => Promise.reject(new ConfigError([each])));
    }
    write('server: { port: 5 }');
    await second();
    expect(logged).toEqual([
      ['error', { file, problems: [one, two].map((each) => ({ ...each, source: file })) }],
    ]);
  });

  it('are not taken from a file that is still being written', async () => {
    const look = (): Promise<void> => jest.advanceTimersByTimeAsync(500);
    writeFileSync(file, 'server: {');
    await look();
    writeFileSync(file, 'server: { port: 9 }');
    await look();
    expect([applied, logged]).toEqual([[], []]);
    await look();
    expect([applied, levels()]).toEqual([[9], ['warn']]);
  });

  it('are never a file that has been emptied', async () => {
    writeFileSync(file, '\n');
    await second();
    await second();
    expect([applied, levels()]).toEqual([[], ['error']]);
    expect(logged[0]![1]).toMatchObject({
      problems: [{ key: file, source: 'A2A_HUB_CONFIG', text: 'is empty' }],
    });
    write('server: { port: 10 }');
    await second();
    expect(applied).toEqual([10]);
  });

  it('are tried again when they could not be put in force', async () => {
    trouble = { apply: new Error('no database') };
    write('server: { port: 6 }');
    await second();
    expect([applied, levels()]).toEqual([[], ['error']]);
    trouble = {};
    await second();
    await second();
    expect([applied, levels()]).toEqual([[6], ['error', 'warn']]);
  });

  it('say once for each file, and each reason, why they cannot be put in force', async () => {
    trouble = { apply: new Error('no database') };
    write('server: { port: 6 }');
    for (let n = 0; n < 5; n += 1) await second();
    expect(levels()).toEqual(['error']);
    trouble = { apply: new Error('no disk') };
    for (let n = 0; n < 5; n += 1) await second();
    expect(levels()).toEqual(['error', 'error']);
    write('server: { port: 7 }');
    for (let n = 0; n < 5; n += 1) await second();
    expect(levels()).toEqual(['error', 'error', 'error']);
  });

  it('keep no stop waiting while they are examined', async () => {
    let isExamined = false;
    changes.subscribe(() => {
      isExamined = true;
      return new Promise(() => undefined);
    });
    write('server: { port: 6 }');
    await second();
    expect(isExamined).toBe(true);
    await changes.onModuleDestroy();
    expect([applied, levels()]).toEqual([[], []]);
  }, 5000);

  it('are tried again when the file has become invalid meanwhile, which is said', async () => {
    trouble = { apply: new Error('no database') };
    write('server: { port: 6 }');
    await second();
    write('server: {');
    await second();
    expect(applied).toEqual([]);
    expect(texts.filter((text) => text.includes('invalid'))).toEqual([
      'the changed configuration is invalid; the previous one could not be applied yet; it is retried',
    ]);
    trouble = {};
    await second();
    expect([applied, levels().at(-1)]).toEqual([[6], 'warn']);
    write('server: { port: 7 }');
    await second();
    expect(applied).toEqual([6, 7]);
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
    await changes.onModuleDestroy();
    write('server: { port: 8 }');
    await second();
    expect(applied).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
