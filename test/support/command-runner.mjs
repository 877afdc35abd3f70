// Runs commands of the built hub in one process, one after the other, for ./commands.ts: each message is a command with
// its environment. What it writes ends with a mark on both outputs, on standard output with the exit code before.
import { existsSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const BUNDLED = fileURLToPath(new URL('../../dist/bundled/hub.cjs', import.meta.url));
const BUILT = new URL('../../dist/command-line.js', import.meta.url).href;
const { run } = existsSync(BUNDLED) ? createRequire(import.meta.url)(BUNDLED) : await import(BUILT);

process.on('message', async ({ args, environment, mark }) => {
  process.env = environment;
  const exitCode = (await run(args)) ?? 'serves';
  writeSync(1, `${mark}${exitCode}${mark}`);
  writeSync(2, mark);
});
