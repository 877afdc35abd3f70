import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from './config-error.js';
import { loadConfig, summarize } from './load-config.js';

const [A, B, C] = ['a', 'b', 'c'].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const folder = mkdtempSync(join(tmpdir(), 'hub-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The keys of a process with these variables. */
function keysOf(variables: Record<string, string>) {
  return loadConfig(variables).secrets.keys;
}

/** Under that name in a folder of the tests. */
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What is said to be wrong; it never tells a key. */
function problemsOf(keys: string, more: Record<string, string> = {}): string[] {
  try {
    loadConfig({ A2A_HUB__SECRETS__KEYS: keys, ...more });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toMatch(/YWFh|YmJi/);
    return (error as ConfigError).problems.map(({ key, text }) => `${key} ${text}`);
  }
  throw new Error('it was taken');
}

describe('the keys that encrypt secrets', () => {
  it('are none unless they are set', () => {
    expect(keysOf({})).toEqual([]);
    expect(keysOf({ A2A_HUB__SECRETS__KEYS: '' })).toEqual([]);
  });

  it('are a list in the environment, each possibly a reference', () => {
    const path = file('third', `k3:${C}\n`);
    const keys = keysOf({
      A2A_HUB__SECRETS__KEYS: `k1:${A}, env:SECOND,file:${path}`,
      SECOND: `k2:${B}`,
    });
    expect(keys).toEqual([
      { id: 'k1', key: A },
      { id: 'k2', key: B },
      { id: 'k3', key: C },
    ]);
  });

  it('are a list in a file of settings, or one reference to all of them', () => {
    const all = file('all', `# the new one first\nk2:${B}\n\nk1:${A}\n`);
    const wanted = [
      { id: 'k2', key: B },
      { id: 'k1', key: A },
    ];
    const list = file('list.yaml', `secrets: {keys: ["k2:${B}", "env:FIRST"]}`);
    expect(keysOf({ A2A_HUB_CONFIG: list, FIRST: `k1:${A}` })).toEqual(wanted);
    const one = file('one.yaml', `secrets: {keys: "file:${all}"}`);
    expect(keysOf({ A2A_HUB_CONFIG: one })).toEqual(wanted);
    expect(keysOf({ A2A_HUB__SECRETS__KEYS: `file:${all}` })).toEqual(wanted);
  });

  it('may be written in the alphabet of URLs and without padding', () => {
    const key = Buffer.alloc(32, 0xff);
    expect(keysOf({ A2A_HUB__SECRETS__KEYS: `k:${key.toString('base64url')}` })).toEqual([
      { id: 'k', key: key.toString('base64') },
    ]);
  });

  it('show their ids and nothing else', () => {
    const shown = summarize(loadConfig({ A2A_HUB__SECRETS__KEYS: `k2:${B},k1:${A}` }));
    expect(shown['secrets.keys']).toBe('k2:********, k1:********');
  });

  it('are refused by their place in the list, with what to do', () => {
    const short = Buffer.alloc(16, 'a').toString('base64');
    const make = 'make one with: openssl rand -base64 32';
    expect(problemsOf(`k1:${A},k1:${B},${A},k 2:${B},k3:${short},k4:?,env:NONE`)).toEqual([
      'secrets.keys the variable NONE is not set',
    ]);
    expect(problemsOf(`k1:${A},k1:${B},${A},k 2:${B},k3:${short},k4:?,plain:${A}`)).toEqual([
      'secrets.keys [1]: repeats the id k1; each key needs an id of its own',
      `secrets.keys [2]: is not ID:KEY (not shown); ${make}`,
      'secrets.keys [3]: has an id that is not 1 to 64 of A-Z a-z 0-9 . _ -',
      `secrets.keys [4]: the key k3 has 16 bytes, not 32; ${make}`,
      `secrets.keys [5]: the key k4 is not base64; ${make}`,
      'secrets.keys [6]: has the id plain, which is reserved; take another',
    ]);
  });

  it.each(['7', 'true', '{k1: x}', '[7]', '[[x]]'])('are texts, which %s is not', (value) => {
    const config = file('wrong.yaml', `secrets: {keys: ${value}}`);
    const text = 'the value (not shown) is not a list of ID:KEY, the key 32 bytes as base64';
    expect(() => keysOf({ A2A_HUB_CONFIG: config })).toThrow(text);
  });
});
