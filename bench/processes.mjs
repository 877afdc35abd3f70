// The processes of the bench.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Servers } from '../scripts/servers.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const execute = promisify(execFile);
const servers = new Servers();
const groups = [servers];

/** Starts a Node program and waits for `listening on|at URL`. */
export function start(args, environment) {
  return servers.startNode(args, environment);
}

/** Processes that can be ended before all others. */
export function group() {
  const own = new Servers();
  groups.push(own);
  return own;
}

/** Runs the load generator to its end. */
export async function load(job) {
  const { stdout } = await execute(process.execPath, ['bench/load.mjs', JSON.stringify(job)], {
    cwd: ROOT,
  });
  return JSON.parse(stdout);
}

/** Runs the bare loop of requests to its end. */
export async function postLoop(job) {
  const args = ['bench/post-loop.mjs', JSON.stringify(job)];
  const { stdout } = await execute(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout);
}

/** Measures the routing against so many skills, in a process of its own. */
export async function routingTimes(skills, milliseconds) {
  const args = ['bench/routing.mjs', String(skills), String(milliseconds)];
  const { stdout } = await execute(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** Ends everything that was started. */
export function stopAll() {
  return Promise.all(groups.map((each) => each.stop()));
}
