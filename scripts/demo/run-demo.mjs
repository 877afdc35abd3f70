// The course of the demo.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import { AdminApi } from './admin.mjs';
import { freePortOr0, startAgents, startHub, startReceiver, stopProcesses } from './processes.mjs';
import {
  createClient,
  expectState,
  filePart,
  printArtifacts,
  request,
  sendAndShow,
  stateName,
} from './show.mjs';
import { bold, chapter, dim, print } from './terminal.mjs';

const WEBHOOK_DEADLINE_MS = 10_000;
const WEBHOOK_SECRET = 'demo-webhook-secret';
const WEBHOOK_TOKEN = 'demo-notification-token';
const SHOWN_HEADERS = [
  'authorization',
  'content-type',
  'a2a-notification-token',
  'a2a-version',
  'webhook-id',
  'webhook-timestamp',
  'a2a-hub-sequence',
  'a2a-hub-delivery-number',
  'a2a-hub-attempt',
];

/** Runs the demo; resolves with the exit code, after Ctrl-C unless `once`. */
export async function runDemo({ once, port, data }) {
  const directory = data ? resolve(data) : await mkdtemp(join(tmpdir(), 'a2a-hub-demo-'));
  await mkdir(directory, { recursive: true });
  const children = [];
  let receiver;
  const stopped = new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, done);
  });
  try {
    const demo = await startDemo({ directory, port, children });
    receiver = demo.receiver;
    const show = showEverything(demo).then(() => 'shown');
    if ((await Promise.race([show, stopped.then(() => 'stopped')])) === 'shown' && !once) {
      printNextCommands(demo, directory);
      await Promise.race([stopped, ended(demo.hub)]);
    }
    return 0;
  } finally {
    if (!once) print('\nStopping …');
    await stopProcesses(children);
    receiver?.close();
    if (!data) await rm(directory, { recursive: true, force: true });
  }
}

/** The hub, its agents and a receiver of webhooks; the processes are added to `children`. */
export async function startDemo({ directory, port, children }) {
  chapter('Starting three agents, a webhook receiver and the hub');
  const adminKey = `demo-admin-${randomBytes(18).toString('base64url')}`;
  const [agents, receiver] = await Promise.all([startAgents(directory), startReceiver()]);
  children.push(...agents.map(({ child }) => child));
  const hub = await startHub({ directory, port: await freePortOr0(port), adminKey });
  children.unshift(hub.child);
  print(`  hub               ${hub.url}  ${dim(`(SQLite in ${directory})`)}`);
  const admin = new AdminApi(hub.url, adminKey);
  for (const { name, url } of agents) {
    const agent = await admin.registerAgent(name, url);
    print(`  ${agent.id.padEnd(17)} ${url}`);
  }
  print(`  webhook receiver  ${receiver.url}`);
  const { key } = await admin.createKey('demo client');
  return { hub, admin, adminKey, key, receiver, client: await createClient(hub.url, key) };
}

/** Sends all the work of the demo and shows what comes of it. */
export async function showEverything(demo) {
  await showOne(demo);
  const task = await showAll(demo);
  await showQuestion(demo);
  await showWebhooks(demo, task);
  await showTasks(demo);
}

async function showOne({ client }) {
  chapter('One agent by skill tag: examples/files/planets.csv to "csv"');
  const task = await sendAndShow(
    client,
    request('Profile this file.', {
      parts: [await filePart('examples/files/planets.csv')],
      route: { tags: ['csv'] },
    }),
  );
  expectState(task, TaskState.TASK_STATE_COMPLETED);
  printArtifacts(task);
}

async function showAll({ client, receiver }) {
  chapter('All agents of a tag: src/bootstrap.ts to everyone with "measure", one merged task');
  const task = await sendAndShow(
    client,
    request('Measure this file.', {
      parts: [await filePart('src/bootstrap.ts')],
      route: { tags: ['measure'], strategy: 'all' },
      webhook: {
        url: receiver.url,
        token: WEBHOOK_TOKEN,
        authentication: { scheme: 'Bearer', credentials: WEBHOOK_SECRET },
      },
    }),
  );
  expectState(task, TaskState.TASK_STATE_COMPLETED);
  printArtifacts(task);
  return task;
}

async function showQuestion({ client }) {
  chapter('A question: the same file without its name, so the agent asks for the language');
  const asked = await sendAndShow(
    client,
    request('Measure this file.', {
      parts: [await filePart('src/bootstrap.ts', 'bootstrap')],
      route: { tags: ['code'] },
    }),
  );
  expectState(asked, TaskState.TASK_STATE_INPUT_REQUIRED);
  print(`\n  ${bold('answer')} typescript\n`);
  const task = await sendAndShow(client, request('typescript', { task: asked }));
  expectState(task, TaskState.TASK_STATE_COMPLETED);
}

async function showWebhooks({ receiver, admin }, shown) {
  chapter('Webhooks received for the merged task');
  const isLast = ({ body }) => body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED';
  const end = Date.now() + WEBHOOK_DEADLINE_MS;
  while (!receiver.received.some(isLast)) {
    if (Date.now() > end) throw new Error('the webhook of the completed task did not come');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const { headers, body } of receiver.received) {
    const { task, statusUpdate, artifactUpdate } = body;
    const what = artifactUpdate
      ? `artifactUpdate "${artifactUpdate.artifact.name}", ${artifactUpdate.artifact.parts.length} part(s)`
      : `${task ? 'task' : 'statusUpdate'} ${(task ?? statusUpdate).status.state}`;
    print(`  ${headers['a2a-hub-delivery-number']}. ${what}`);
  }
  const { headers } = receiver.received.at(-1);
  print(`\n  ${bold('headers of the last one')}`);
  for (const name of SHOWN_HEADERS) if (headers[name]) print(`    ${name}: ${headers[name]}`);
  if (headers.authorization !== `Bearer ${WEBHOOK_SECRET}`) {
    throw new Error('the webhook came without its credentials');
  }
  const { items } = await admin.deliveries(shown.id);
  const states = items.map(({ state }) => state).join(', ');
  print(`\n  ${dim(`GET /api/v1/push/deliveries?taskId=… says: ${states}`)}`);
}

async function showTasks({ client }) {
  chapter('What the hub remembers (ListTasks)');
  const { tasks, totalSize } = await client.listTasks({
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
  });
  for (const task of tasks) {
    print(`  ${task.id}  ${stateName(task.status?.state)}  ${task.status?.timestamp ?? ''}`);
  }
  print(`  ${dim(`${totalSize} in all`)}`);
}

function printNextCommands({ hub, adminKey, key }, directory) {
  const send = {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: {
      message: {
        messageId: 'my-first',
        role: 'ROLE_USER',
        parts: [{ text: 'The hub is running. How readable is this?' }],
        metadata: { skillTags: ['readability'] },
      },
    },
  };
  chapter('The hub is running. Try:');
  print(`
  export HUB=${hub.url}
  export KEY=${key}
  export ADMIN_KEY=${adminKey}

  ${dim("# the hub's own agent card: the skills of all agents")}
  curl $HUB/.well-known/agent-card.json

  ${dim('# the agents')}
  curl -H "Authorization: Bearer $ADMIN_KEY" $HUB/api/v1/agents

  ${dim('# send a text to whoever has the skill tag "readability"')}
  curl $HUB/a2a -H "Authorization: Bearer $KEY" -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(send)}'

  ${dim('# your tasks')}
  curl $HUB/a2a -H "Authorization: Bearer $KEY" -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' \\
    -d '{"jsonrpc":"2.0","id":2,"method":"ListTasks","params":{}}'

  ${dim('# why which agent? without sending anything')}
  curl $HUB/api/v1/routes:dry-run -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
    -d '${JSON.stringify({ message: send.params.message })}'

  ${dim('# or see it all in the console: sign in there with the ADMIN_KEY above')}
  ${bold(`${hub.url}/console`)}

  ${dim(`Logs: ${directory}. Stop with Ctrl-C.`)}`);
}

/** Resolves when the hub's process ends by itself. */
function ended({ child }) {
  return new Promise((resolve) => child.once('exit', resolve));
}
