import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url).pathname;

/** `npm run demo -- --once` fails by itself when a task or a webhook is not as it should be. */
it('shows everything and ends', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['scripts/demo.mjs', '--once', '--port', '0', '--as-built'],
    { cwd: ROOT, timeout: 90_000 },
  );
  expect(stdout).toContain('8 rows, 12 columns');
  expect(stdout).toContain('(code-metrics)');
  expect(stdout).toContain('(text-statistics)');
  expect(stdout).toMatch(/input-required: In which language is bootstrap written/);
  expect(stdout).toContain('webhook-id: ');
  expect(stdout).toContain('3 in all');
}, 100_000);
