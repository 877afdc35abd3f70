// The processes of the bench.
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const execute = promisify(execFile);
const running = [];

/** Starts a Node program and waits for `listening on|at URL`. */
export function start(args, environment = {}) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  return new Promise((resolve, reject) => {
    let output = '';
    const look = (text) => {
      // The hub logs each request; only the beginning matters here.
      if (output.length > 100_000) return;
      output += text;
      const url = /listening (?:on|at) (http:\S+)\n/.exec(output)?.[1];
      if (url) resolve({ url, pid: child.pid });
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended (${code}): ${output}`)));
  });
}

/** Runs the load generator to its end. */
export async function load(job) {
  const { stdout } = await execute(process.execPath, ['bench/load.mjs', JSON.stringify(job)], {
    cwd: ROOT,
  });
  return JSON.parse(stdout);
}

/** Measures the routing against so many skills, in a process of its own. */
export async function routingTimes(skills, milliseconds) {
  const args = ['bench/routing.mjs', String(skills), String(milliseconds)];
  const { stdout } = await execute(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** Ends everything that was started. */
export async function stopAll() {
  await Promise.all(
    running.map((child) => {
      if (child.exitCode !== null || child.signalCode !== null) return undefined;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      return gone;
    }),
  );
}
