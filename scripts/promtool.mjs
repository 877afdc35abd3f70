/**
 * Checks what Prometheus gets from the hub and the rules in deploy/: `promtool check metrics` on a reading of the built
 * hub, `check rules` and `test rules`. promtool is that of A2A_HUB_PROMTOOL or of the PATH; on Debian and its like the
 * package `prometheus` is fetched into node_modules/.cache and unpacked there: nothing is installed or started.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = join(ROOT, 'deploy/prometheus');
const CACHE = join(ROOT, 'node_modules/.cache/promtool');
const ADMIN_KEY = 'promtool-reads-metrics-0123456789';
const HOW_TO_GET_IT =
  'promtool is missing: install Prometheus (Debian and Ubuntu: apt-get install prometheus; else https://prometheus.io/download) and put promtool on the PATH, or name it by A2A_HUB_PROMTOOL.';

/** Names that prom-client has given, and that stay for who uses them: gauges that end like counters. */
const NAMED_BY_PROM_CLIENT = /^(# (HELP|TYPE) )?a2a_hub_nodejs_active_\w+_total/;

function works(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

function findPromtool() {
  const named = process.env.A2A_HUB_PROMTOOL;
  if (named !== undefined && named !== '') {
    if (works(named)) return named;
    throw new Error(`A2A_HUB_PROMTOOL names ${named}, which does not run.`);
  }
  const cached = join(CACHE, 'usr/bin/promtool');
  for (const command of ['promtool', cached]) if (works(command)) return command;
  download();
  if (works(cached)) return cached;
  throw new Error(HOW_TO_GET_IT);
}

/** Without apt-get, or without a way to its archive, it stays missing. */
function download() {
  mkdirSync(CACHE, { recursive: true });
  const run = (command, args) =>
    spawnSync(command, args, { cwd: CACHE, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const fetched = () =>
    run('apt-get', ['-q', 'download', '-o', 'APT::Sandbox::User=root', 'prometheus']);
  // Lists that are there may do; those of a fresh machine are empty.
  if (!fetched() && !(run('apt-get', ['-q', 'update']) && fetched())) return;
  const archive = readdirSync(CACHE).find((name) => /^prometheus_.*\.deb$/.test(name));
  if (archive === undefined) return;
  run('dpkg-deb', ['-x', archive, CACHE]);
  rmSync(join(CACHE, archive));
}

/** What the built hub gives at `/metrics` after some requests. */
async function readMetrics() {
  const main = join(ROOT, 'dist/main.js');
  if (!existsSync(main)) throw new Error('dist/main.js is missing: npm run build');
  const folder = mkdtempSync(join(tmpdir(), 'a2a-hub-promtool-'));
  const hub = spawn(process.execPath, [main], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      A2A_HUB__DATABASE__URL: `sqlite:${resolve(folder, 'hub.db')}`,
      A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__LOG__LEVEL: 'error',
    },
  });
  const ended = new Promise((done) => hub.once('exit', done));
  try {
    const address = await listening(hub);
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    for (const path of ['/health/ready', '/api/v1/agents', '/a2a/tasks']) {
      await (await fetch(address + path, { headers })).arrayBuffer();
    }
    const text = await (await fetch(`${address}/metrics`, { headers })).text();
    const lines = text.split('\n').filter((line) => !NAMED_BY_PROM_CLIENT.test(line));
    return lines.join('\n');
  } finally {
    hub.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(hub) {
  for await (const line of createInterface({ input: hub.stdout })) {
    const address = /^A2A Hub \S+ is listening at (\S+)$/.exec(line)?.[1];
    if (address !== undefined) {
      hub.stdout.resume();
      return address;
    }
  }
  throw new Error('the hub has ended before it was listening');
}

try {
  const promtool = findPromtool();
  const options = { cwd: RULES, stdio: ['pipe', 'inherit', 'inherit'] };
  execFileSync(promtool, ['check', 'metrics'], { ...options, input: await readMetrics() });
  execFileSync(promtool, ['check', 'rules', 'alerts.yaml'], options);
  execFileSync(promtool, ['test', 'rules', 'alerts.test.yaml'], options);
} catch (error) {
  console.error(`promtool: ${error.message}`);
  process.exitCode = 1;
}
