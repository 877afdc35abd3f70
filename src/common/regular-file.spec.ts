import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { regularFileText } from './regular-file.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'a2a-hub-file-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('reads files, also behind links', async () => {
  writeFileSync(join(folder, 'text'), 'grüß\n');
  symlinkSync('text', join(folder, 'link'));
  expect(await regularFileText(join(folder, 'link'))).toBe('grüß\n');
  const missing = regularFileText(join(folder, 'none'));
  await expect(missing).rejects.toMatchObject({ code: 'ENOENT' });
});

it('waits for no pipe', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(regularFileText(pipe)).rejects.toMatchObject({ code: 'ENOTFILE' });
}, 5000);
