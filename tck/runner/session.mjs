// One run of pytest, and what it says of each test.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PLUGINS = fileURLToPath(new URL('./', import.meta.url));

/**
 * Runs pytest in a copy of the kit.
 * @param onProgress - Called after each test with how many of how many are done.
 * @returns One entry for each test: id, outcome, reason, and the levels it is marked with.
 * @throws When pytest could not run the tests.
 */
export async function runPytest({ python, directory, args, onProgress }) {
  const child = spawn(
    python,
    ['-m', 'pytest', ...args, '-p', 'tck_report', '-p', 'no:cacheprovider', '-q', '--tb=short'],
    {
      cwd: directory,
      env: {
        ...process.env,
        PYTHONPATH: PLUGINS,
        PYTHONDONTWRITEBYTECODE: '1',
        // Proxies would stand between the kit and the loopback.
        NO_PROXY: '*',
        no_proxy: '*',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  const output = tailOf(child.stdout, child.stderr);
  const tests = new Map();
  const broken = [];
  let collected = 0;
  createInterface({ input: child.stdio[3] }).on('line', (line) => {
    const { kind, ...entry } = JSON.parse(line);
    if (kind === 'collected') collected = entry.count;
    else if (kind === 'broken') broken.push(entry);
    else {
      tests.set(entry.id, entry);
      onProgress(tests.size, collected);
    }
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // 0: all passed, 1: some failed, 5: nothing was selected.
  if (broken.length > 0 || ![0, 1, 5].includes(code))
    throw new Error(`pytest ended with ${code}:\n${broken[0]?.reason ?? output()}`);
  return [...tests.values()];
}

/** Keeps the end of what both streams say. */
function tailOf(...streams) {
  let tail = '';
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (text) => (tail = (tail + text).slice(-4000)));
  }
  return () => tail;
}
