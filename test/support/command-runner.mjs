// Runs commands of the built hub in one process, one after the other, for ./commands.ts: each message is a command with
// its environment. What it writes ends with a mark on both outputs, on standard output with the exit code before.
import { writeSync } from 'node:fs';
import { run } from '../../dist/command-line.js';

process.on('message', async ({ args, environment, mark }) => {
  process.env = environment;
  const exitCode = (await run(args)) ?? 'serves';
  writeSync(1, `${mark}${exitCode}${mark}`);
  writeSync(2, mark);
});
