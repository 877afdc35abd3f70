// `npm run interop:python`: a live fasta2a 0.5 client and agent (A2A 0.2.5), with the hub between them.
// Needs python3 with venv and a way to PyPI; the environment is kept in data/interop-python.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ADMIN_KEY = 'interop-admin-key-0123456789';

ensureInstalled();
ensureBuilt();
const python = preparePython();
const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-interop-'));
const children = [];
try {
  const agentUrl = await start(python, [join(HERE, 'agent.py')]);
  const hubUrl = await start(process.execPath, ['dist/main.js'], {
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(directory, 'hub.db')}`,
    A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
    A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
    A2A_HUB__AGENTS__POLL_MIN: '50ms',
    A2A_HUB__LOG__LEVEL: 'warn',
  });
  const agent = await admin(hubUrl, '/api/v1/agents', { cardUrl: agentUrl });
  console.log(
    `agent ${agent.id} registered (A2A ${agent.endpoint?.protocolVersion ?? '0.x'} dialect)`,
  );
  const { key } = await admin(hubUrl, '/api/v1/keys', {
    name: 'fasta2a',
    organization: 'interop',
    scopes: ['a2a'],
  });
  execFileSync(python, [join(HERE, 'client.py')], {
    stdio: 'inherit',
    env: { ...process.env, HUB_URL: hubUrl, HUB_KEY: key },
  });
  console.log('fasta2a 0.5: all passed');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}

/** The Python of an environment with the pinned packages. */
function preparePython() {
  const environment = join(ROOT, 'data/interop-python');
  const found = join(environment, 'bin/python');
  if (!existsSync(found))
    execFileSync('python3', ['-m', 'venv', environment], { stdio: 'inherit' });
  execFileSync(found, ['-m', 'pip', 'install', '--quiet', '-r', join(HERE, 'requirements.txt')], {
    stdio: 'inherit',
  });
  return found;
}

/** Starts a server and resolves with the address it prints. */
function start(command, args, environment = {}) {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let output = '';
    const look = (text) => {
      output += text;
      const url = /listening (?:on|at) (http:\S+)\n/.exec(output)?.[1];
      if (url) resolve(url);
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended (${code}): ${output}`)));
  });
}

async function admin(hubUrl, path, body) {
  const response = await fetch(hubUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok)
    throw new Error(`POST ${path}: HTTP ${response.status} ${await response.text()}`);
  return response.json();
}
