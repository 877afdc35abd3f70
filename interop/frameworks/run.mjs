// `npm run interop:frameworks -- [NAME…]`: agents of the frameworks people use, each served by its own package,
// behind the hub, and clients of SDKs before it. Needs python3 (3.11 or newer) with venv and a way to PyPI, and Go and Java
// (with Maven) for what is written in them; what was made of them is kept in data/interop. SHOW_LOGS=1 prints what the agents write.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HUB_ARGUMENTS } from '../../scripts/hub-command.mjs';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { Servers } from '../../scripts/servers.mjs';
import { CASES } from './cases.mjs';
import { CLIENTS, FRAMEWORKS } from './frameworks.mjs';
import { freePort } from './free-port.mjs';
import { Hub } from './hub.mjs';
import { prepare } from './prepare.mjs';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ADMIN_KEY = 'interop-admin-key-0123456789';
const START_SECONDS = 60;

const wanted = process.argv.slice(2);
const isWanted = ({ id }) => wanted.length === 0 || wanted.includes(id);
const unknown = wanted.filter((name) => ![...FRAMEWORKS, ...CLIENTS].some(({ id }) => id === name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')}.`);

ensureInstalled();
ensureBuilt();
const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-frameworks-'));
const servers = new Servers();
const rows = [];
try {
  const { url } = await servers.startNode(HUB_ARGUMENTS, {
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(directory, 'hub.db')}`,
    A2A_HUB__GRPC__PORT: `${await freePort()}`,
    A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
    A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
    A2A_HUB__AGENTS__CANCEL_WAIT: '5s',
    A2A_HUB__LOG__LEVEL: 'warn',
  });
  const hub = new Hub(url, ADMIN_KEY);
  for (const framework of FRAMEWORKS.filter(isWanted)) rows.push(await tried(hub, framework));
  for (const client of CLIENTS.filter(isWanted)) rows.push(await clientTried(hub, client));
} finally {
  await servers.stop();
  rmSync(directory, { recursive: true, force: true });
}
console.log();
for (const row of rows) console.log(row.join(' | '));
if (rows.some((row) => row.some((cell) => cell.startsWith('FAILED')))) process.exitCode = 1;

/** One row of the table: the name, how the agent is called, an answer for each case, the deviations tolerated. */
async function tried(hub, framework) {
  const row = [framework.id];
  return behindHub(hub, framework, row, async ({ endpoint }, cardUrl) => {
    row.push(`${endpoint.protocolBinding} ${endpoint.protocolVersion}`);
    for (const [name, run] of Object.entries(CASES)) {
      const answer = await run(hub, { ...framework, cardUrl }).catch(
        ({ message }) => `FAILED ${message}`,
      );
      console.log(`${framework.id}: ${name}: ${answer}`);
      row.push(answer);
    }
    const { deviations } = await hub.admin('GET', `/api/v1/agents/${framework.id}`);
    row.push(deviations.map(({ kind }) => kind).join(', ') || '-');
  });
}

/** A program that talks to the hub by itself; it ends with another code than 0 when something is wrong. */
async function clientTried(hub, client) {
  const framework = FRAMEWORKS.find(({ id }) => id === client.agent);
  const row = [client.id];
  return behindHub(hub, { ...framework, as: client.id }, row, async () => {
    const environment = { HUB_URL: hub.url, HUB_KEY: ADMIN_KEY, AGENT: client.id };
    const env = { PATH: process.env.PATH, ...environment, ...client.environment };
    const [command, ...args] = client.command(prepare(client));
    console.log(`${client.id}:`);
    execFileSync(command, args, { env, timeout: 60_000, stdio: 'inherit' });
    row.push('ok');
  });
}

/** Starts and registers an agent, works with it, and ends it. */
async function behindHub(hub, framework, row, work) {
  const { id, as = id } = framework;
  const log = join(directory, `${as}.log`);
  let agent;
  try {
    const bin = prepare(framework);
    const port = await freePort();
    agent = start(framework, bin, port, log);
    const cardUrl = await ready(framework, port, agent);
    if (framework.isTooOld) row.push(await refused(hub, cardUrl));
    else await work(await hub.admin('POST', '/api/v1/agents', { cardUrl, id: as }), cardUrl);
  } catch (error) {
    row.push(`FAILED ${error.message}`);
  } finally {
    if (row.length === 2) console.log(row.join(': '));
    if (agent?.exitCode === null) process.kill(-agent.pid, 'SIGKILL');
    if (process.env.SHOW_LOGS && existsSync(log))
      console.log(readFileSync(log, 'utf8').slice(-8000));
  }
  return row;
}

/** The reason for which registering it is refused, by its card alone. */
async function refused(hub, cardUrl) {
  const told = await hub
    .admin('POST', '/api/v1/agents', { cardUrl })
    .catch(({ message }) => message);
  if (!told.includes?.('before A2A 0.2')) throw new Error('it is registered');
  return `refused: ${told}`;
}

/** In a group of its own: some start further processes. */
function start(framework, bin, port, log) {
  const { command, args, cwd, environment } = framework.start(bin, port);
  const own = { PORT: `${port}`, PYTHONDONTWRITEBYTECODE: '1', ...environment };
  const output = openSync(log, 'w');
  // Some keep what they do beside their program.
  const folder = join(directory, framework.id);
  cpSync(join(HERE, cwd), folder, { recursive: true });
  return spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: directory, ...own },
    stdio: ['ignore', output, output],
    detached: true,
  });
}

/** The address of its card, once something listens there. */
async function ready(framework, port, agent) {
  for (let second = 0; second < START_SECONDS * 2; second += 1) {
    if (agent.exitCode !== null) throw new Error(`its server ended with ${agent.exitCode}`);
    await sleep(500);
    const answers = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answers) return framework.card(port);
  }
  throw new Error(`nothing listens after ${START_SECONDS} s`);
}
