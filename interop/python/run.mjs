// `npm run interop:python`: a live fasta2a 0.5 client and agent (A2A 0.2.5), with the hub between them.
// Needs python3 with venv and a way to PyPI; the environment is kept in data/interop-python.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HUB_ARGUMENTS } from '../../scripts/hub-command.mjs';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { Servers } from '../../scripts/servers.mjs';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const ADMIN_KEY = 'interop-admin-key-0123456789';

ensureInstalled();
ensureBuilt();
const python = preparePython();
const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-interop-'));
const servers = new Servers();
try {
  const { url: agentUrl } = await servers.start(python, [join(HERE, 'agent.py')]);
  const { url: hubUrl } = await servers.startNode(HUB_ARGUMENTS, {
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(directory, 'hub.db')}`,
    A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
    A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
    A2A_HUB__PUSH__ALLOW: '127.0.0.0/8',
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
  await servers.stop();
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
