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
export function load(job) {
  return resultOf('bench/load.mjs', JSON.stringify(job));
}

/** Runs so many streams at once to their end. */
export function streamLoad(job) {
  return resultOf('bench/stream-load.mjs', JSON.stringify(job));
}

/** Asks for first pages of ListTasks. */
export function listTimes(job) {
  return resultOf('bench/list-loop.mjs', JSON.stringify(job));
}

/** Runs the bare loop of requests to its end. */
export function postLoop(job) {
  return resultOf('bench/post-loop.mjs', JSON.stringify(job));
}

/** Measures the routing against so many skills. */
export function routingTimes(skills, milliseconds) {
  return resultOf('bench/routing.mjs', String(skills), String(milliseconds));
}

/** Sets up the database of a hub that is not SQLite. */
export async function migrate(environment) {
  const env = { PATH: process.env.PATH, ...environment };
  await execute(process.execPath, ['dist/main.js', 'migrate'], { cwd: ROOT, env });
}

/** Runs a program of the bench to its end; the JSON of its last line. */
async function resultOf(...args) {
  const { stdout } = await execute(process.execPath, args, { cwd: ROOT });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

/** Ends everything that was started. */
export function stopAll() {
  return Promise.all(groups.map((each) => each.stop()));
}
