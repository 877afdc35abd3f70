// `npm run interop:clients`: runs the programs of docs/clients.md, as they stand there, against a hub with an agent of the
// official Python SDK behind it. Needs python3 with a way to PyPI, Go, curl and bash; what was made is kept in data/interop.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { HUB_ARGUMENTS } from '../../scripts/hub-command.mjs';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { Servers } from '../../scripts/servers.mjs';
import { Hub } from '../frameworks/hub.mjs';
import { prepare } from '../frameworks/prepare.mjs';
import { freePort } from '../frameworks/free-port.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'data/interop/clients');
const GO_MODULE = join(ROOT, 'interop/frameworks/go');
const ADMIN_KEY = 'interop-admin-key-0123456789';
const SDK = { id: 'a2a-sdk', language: 'python' };

ensureInstalled();
ensureBuilt();
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const bin = prepare(SDK);
const blocks = [
  ...readFileSync(join(ROOT, 'docs/clients.md'), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```/gm),
];
const programs = {
  bash: (text) => run('bash', ['-eu', put('client.sh', text)]),
  python: (text) => run(`${bin}/python`, [put('client.py', text)]),
  js: (text) => run(process.execPath, [put('client.mjs', text)]),
  go: (text) => {
    put('main.go', text);
    for (const name of ['go.mod', 'go.sum'])
      copyFileSync(join(GO_MODULE, name), join(FOLDER, name));
    return run('go', ['run', '.']);
  },
};

const servers = new Servers();
const told = [];
const receiver = createServer((request, response) => {
  told.push(request.headers['a2a-notification-token']);
  request.resume().on('end', () => response.end());
}).listen(0, '127.0.0.1');
let environment;
try {
  const { url } = await servers.startNode(HUB_ARGUMENTS, {
    A2A_HUB__SERVER__PORT: '0',
    A2A_HUB__DATABASE__URL: `sqlite:${join(FOLDER, 'hub.db')}`,
    A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
    A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
    A2A_HUB__PUSH__ALLOW: '127.0.0.0/8',
    A2A_HUB__LOG__LEVEL: 'warn',
  });
  const hub = new Hub(url, ADMIN_KEY);
  const port = `${await freePort()}`;
  const agent = join(ROOT, 'interop/frameworks/agents/a2a_sdk.py');
  // It says nothing of where it listens, so that this never resolves.
  servers
    .start(`${bin}/python`, [agent], { PORT: port, SECONDS: '4', PYTHONDONTWRITEBYTECODE: '1' })
    .catch(() => undefined);
  await registered(hub, `http://127.0.0.1:${port}`);
  const client = { name: 'client', organization: 'interop', scopes: ['a2a', 'push'] };
  const { key } = await hub.admin('POST', '/api/v1/keys', client);
  const hook = `http://127.0.0.1:${receiver.address().port}/hook`;
  const bare = { ...process.env, HUB: url, KEY: key };
  environment = { ...bare, HOOK: hook, TAG: 'echo', TEXT: 'slow' };
  for (const [, language, text] of blocks.filter(([, name]) => name in programs)) {
    told.length = 0;
    const output = programs[language](text);
    // Its states and its artifact.
    for (let tries = 0; told.length < 4 && tries < 100; tries += 1) await sleep(100);
    const isDone =
      output.includes('COMPLETED') && told.length > 0 && told.every((each) => each === 'my-token');
    console.log(`${language}: ${isDone ? 'ok' : 'FAILED'}, ${told.length} calls of the webhook`);
    tell(isDone, output);
  }
  // With nothing else said, as with `npm run demo`: the example agent has ended the task before it is subscribed to.
  const quick = await servers.startNode(['examples/agents/text-statistics.mjs', '--port', '0']);
  await registered(hub, quick.url);
  environment = bare;
  for (const [, language, text] of blocks.filter(([, name]) => name in programs)) {
    const output = programs[language](text);
    const isDone = output.includes('COMPLETED');
    console.log(`${language}, with the example agent: ${isDone ? 'ok' : 'FAILED'}`);
    tell(isDone, output);
  }
} finally {
  receiver.close();
  await servers.stop();
}

function tell(isDone, output) {
  if (isDone) return;
  console.log(output);
  process.exitCode = 1;
}

function put(name, text) {
  const path = join(FOLDER, name);
  writeFileSync(path, text);
  return path;
}

function run(command, args) {
  return execFileSync(command, args, {
    cwd: FOLDER,
    env: environment,
    timeout: 120_000,
    encoding: 'utf8',
  });
}

async function registered(hub, cardUrl) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await hub.admin('POST', '/api/v1/agents', { cardUrl });
    } catch (error) {
      if (tries > 40) throw error;
      await sleep(500);
    }
  }
}
