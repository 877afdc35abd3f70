import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { makePrivateDirectory } from './private-directory.js';

const root = mkdtempSync(join(tmpdir(), 'hub-directory-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('makePrivateDirectory', () => {
  it('makes what is missing for its owner alone, and takes what is there', () => {
    const path = join(root, 'a', 'b');
    makePrivateDirectory(path);
    makePrivateDirectory(path);
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
    expect(existsSync(path)).toBe(true);
  });

  it('fails where a directory cannot be made', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makePrivateDirectory(join(root, 'file', 'a'))).toThrow(/ENOTDIR|EEXIST/);
    expect(() => makePrivateDirectory('/proc/hub/a')).toThrow(/ENOENT|EACCES|EPERM/);
  });
});
