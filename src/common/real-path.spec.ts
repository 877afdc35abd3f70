import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { realPathOf } from './real-path.js';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hub-path-')));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('follows links to a file, to a folder, and to what is not there yet', () => {
  const vol = join(folder, 'vol');
  mkdirSync(vol);
  const real = join(vol, 'hub.db');
  symlinkSync('vol/hub.db', join(folder, 'first.db'));
  symlinkSync('first.db', join(folder, 'second.db'));
  symlinkSync('vol', join(folder, 'linked'));
  const all = ['first.db', 'second.db', 'linked/hub.db', 'vol/hub.db'].map((name) =>
    join(folder, name),
  );
  expect(all.map(realPathOf)).toEqual([real, real, real, real]);
  writeFileSync(real, '');
  expect(all.map(realPathOf)).toEqual([real, real, real, real]);
});

it('ends where links go round, and where there is no folder', () => {
  symlinkSync('b', join(folder, 'a'));
  symlinkSync('a', join(folder, 'b'));
  expect(realPathOf(join(folder, 'a'))).toMatch(/[ab]$/);
  expect(realPathOf(join(folder, 'none', 'hub.db'))).toBe(join(folder, 'none', 'hub.db'));
});
