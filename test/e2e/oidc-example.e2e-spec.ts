import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const ROOT = new URL('../../', import.meta.url).pathname;

/** `node examples/oidc/run.mjs` fails by itself when the message is not answered. */
it('signs in from nothing but the address of the hub', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['examples/oidc/run.mjs', '--as-built'],
    { cwd: ROOT, timeout: 90_000 },
  );
  expect(stdout).toMatch(/resource_metadata="http:.*oauth-protected-resource\/a2a"/);
  expect(stdout).toContain('HTTP 200: TASK_STATE_COMPLETED');
  expect(stdout).toContain('acme  operations of http:');
  expect(stdout).toContain('another audience');
}, 100_000);
