// Sign-in from nothing: a provider, the hub, an agent, and a client that knows the hub's address only.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { HUB_ARGUMENTS } from '../../scripts/hub-command.mjs';
import { startProcess, stopProcesses } from '../../scripts/demo/processes.mjs';

const HELP = `node examples/oidc/run.mjs [options]

Starts an identity provider, a hub that takes its access tokens, and an agent, and shows how a client signs in.

  --stay      leave all running after that, until Ctrl-C
  --as-built  neither install nor build anything first
  --help      show this
`;
const ADMIN_KEY = 'admin-key-of-the-example-0123456789';

const { values: options } = parseArgs({
  options: {
    stay: { type: 'boolean', default: false },
    'as-built': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (!options['as-built']) {
  ensureInstalled();
  ensureBuilt();
}

const directory = await mkdtemp(join(tmpdir(), 'a2a-hub-oidc-'));
const children = [];
process.once('SIGINT', () => void end(130));
process.once('SIGTERM', () => void end(143));
try {
  await show();
  if (!options.stay) await end(0);
} catch (error) {
  console.error(`The example failed: ${error.message}`);
  await end(1);
}

async function show() {
  const provider = await start(['examples/oidc/provider.mjs', '--port', '0'], /at (http:\S+)\n/);
  console.log(`The provider:   ${provider}`);
  const config = join(directory, 'hub.yaml');
  await writeFile(config, hubConfig(provider, await freePort()));
  const hub = await start(HUB_ARGUMENTS, /listening at (http:\S+)\n/, {
    A2A_HUB_CONFIG: config,
  });
  const kept = options.stay ? `, with the configuration ${config} until it ends` : '';
  console.log(`The hub:        ${hub}${kept}`);
  const agent = await start(
    ['examples/agents/text-statistics.mjs', '--port', '0'],
    /on (http:\S+)\n/,
  );
  const registered = await call(`${hub}/api/v1/agents`, ADMIN_KEY, { cardUrl: agent });
  console.log(`The agent:      ${agent} (HTTP ${registered.status})`);

  step('A client calls without a token and is told where to look');
  const refused = await fetch(`${hub}/a2a/tasks`);
  const challenge = refused.headers.get('www-authenticate') ?? '';
  console.log(`HTTP ${refused.status}\nWWW-Authenticate: ${challenge}`);
  const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
  const metadata = await (await fetch(metadataUrl)).json();
  console.log(`${metadataUrl}:\n${JSON.stringify(metadata, null, 2)}`);

  step('It gets a token there, for the resource it was told');
  const [issuer] = metadata.authorization_servers;
  const discovery = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const token = (scope) =>
    tokenOf(discovery.token_endpoint, 'operations', metadata.resource, scope);
  const access = await token('hub.call');
  const [, claims] = access.split('.');
  console.log(`What it says: ${Buffer.from(claims, 'base64url').toString()}`);

  step('It sends a message with that');
  const sent = await call(`${hub}/a2a/message:send`, access, {
    message: {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      metadata: { skillTags: ['statistics'] },
      parts: [{ text: 'Whoever signs in may ask, and what was asked is not lost.' }],
    },
  });
  console.log(`HTTP ${sent.status}: ${sent.body.task?.status?.state}`);
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));

  step('It may not administer the hub, until its token says so');
  console.log((await call(`${hub}/api/v1/principals`, access)).body.detail);
  const operate = await token('hub.operate');
  const principals = await call(`${hub}/api/v1/principals`, operate);
  console.log(`HTTP ${principals.status} with the scope hub.operate; principals that signed in:`);
  for (const { id, organization, identity } of principals.body.items) {
    if (identity)
      console.log(`  ${id}  ${organization}  ${identity.subject} of ${identity.issuer}`);
  }

  step('A token for somebody else opens nothing');
  const foreign = await tokenOf(discovery.token_endpoint, 'billing', 'https://other.example');
  console.log((await call(`${hub}/api/v1/agents`, foreign)).body.detail);
  if (options.stay) {
    console.log(
      `\nSign in to the console, with any name and password:\n\n  ${hub}/console/sign-in`,
    );
    console.log(
      `\nAll goes on until Ctrl-C. A token, for five minutes:\n\n  export TOKEN=${access}\n`,
    );
    console.log(`  curl ${hub}/a2a/tasks -H "Authorization: Bearer $TOKEN" -H "A2A-Version: 1.0"`);
  }
}

function hubConfig(provider, port) {
  return `server: { port: ${port} }
database: { url: 'sqlite:${join(directory, 'hub.db')}' }
egress: { allow: [127.0.0.1] }
log: { level: warn }
auth:
  adminKey: ${ADMIN_KEY}
  issuers:
    - id: example
      issuer: ${provider}
      organization: acme
      grants:
        everyone: []
        scopes: { hub.call: [a2a], hub.operate: [admin] }
console:
  signIn:
    - issuer: example
      name: The example provider
      clientId: console
      clientSecret: console-secret
      scopes: [openid, offline_access, hub.call, hub.operate]
      resource: http://127.0.0.1:${port}
`;
}

/** The provider makes tokens for the address of the hub, which is in the configuration. */
async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function start(args, ready, environment = {}) {
  const logFile = join(directory, 'output.log');
  const { child, found } = await startProcess(args, { ready, logFile, environment });
  children.push(child);
  return found;
}

async function tokenOf(endpoint, client, resource, scope = 'hub.call') {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client}:${client}-secret`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`no token: ${JSON.stringify(body)}`);
  return body.access_token;
}

async function call(url, credential, body) {
  const answer = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'a2a-version': '1.0',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

function step(text) {
  console.log(`\n== ${text}\n`);
}

async function end(code) {
  await stopProcesses(children);
  await rm(directory, { recursive: true, force: true });
  process.exit(code);
}
