// What the demo shows: messages sent with the SDK's client, and the events that come back.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { Role, TaskState, taskStateToJSON } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { ROOT } from './root.mjs';
import { dim, bold, print } from './terminal.mjs';

const ROUTING = 'urn:a2a-hub:routing:v1';
const MEDIA_TYPES = { '.csv': 'text/csv', '.md': 'text/markdown', '.ts': 'text/plain' };

/** The SDK's client for the hub, with an API key on every call. */
export function createClient(hubUrl, key) {
  const fetchImpl = (url, init) =>
    fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${key}` } });
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
  });
  return new ClientFactory(options).createFromUrl(hubUrl);
}

/** A file of this repository as a message part. */
export async function filePart(path, filename = basename(path)) {
  return {
    content: { $case: 'raw', value: await readFile(join(ROOT, path)) },
    filename,
    mediaType: MEDIA_TYPES[extname(path)] ?? 'application/octet-stream',
    metadata: undefined,
  };
}

/** A send request: text and parts, a routing directive, and where to continue or whom to tell. */
export function request(text, { parts = [], route, task, webhook } = {}) {
  return {
    tenant: '',
    message: {
      messageId: randomUUID(),
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: text },
          filename: '',
          mediaType: '',
          metadata: undefined,
        },
        ...parts,
      ],
      contextId: task?.contextId ?? '',
      taskId: task?.id ?? '',
      metadata: route && { [ROUTING]: route },
      extensions: route ? [ROUTING] : [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      returnImmediately: false,
      taskPushNotificationConfig: webhook && { tenant: '', id: '', taskId: '', ...webhook },
    },
    metadata: undefined,
  };
}

/** Sends, prints every event as it comes, and resolves with the task at the end of the stream. */
export async function sendAndShow(client, params) {
  let taskId;
  for await (const { payload } of client.sendMessageStream(params)) {
    taskId ??= payload.$case === 'task' ? payload.value.id : payload.value.taskId;
    print(`  ${dim(payload.$case.padEnd(14))} ${describe(payload)}`);
  }
  return client.getTask({ tenant: '', id: taskId });
}

/** The texts of a task's artifacts, indented. */
export function printArtifacts(task) {
  for (const artifact of task.artifacts) {
    const text = artifact.parts
      .filter((part) => part.content?.$case === 'text')
      .map((part) => part.content.value)
      .join('');
    if (text === '') continue;
    print(`\n  ${bold(artifact.name)}${dim(originOf(artifact.metadata))}`);
    print(text.trimEnd().replace(/^/gm, '    '));
  }
}

/** Throws unless the task is in this state: the demo proves what it shows. */
export function expectState(task, state) {
  if (task.status?.state === state) return;
  throw new Error(
    `task ${task.id} is ${stateName(task.status?.state)}, not ${stateName(state)}: ${statusText(task.status)}`,
  );
}

/** `completed` for `TASK_STATE_COMPLETED`. */
export function stateName(state) {
  return taskStateToJSON(state ?? TaskState.UNRECOGNIZED)
    .replace('TASK_STATE_', '')
    .toLowerCase()
    .replace('_', '-');
}

function describe({ $case, value }) {
  switch ($case) {
    case 'task':
      return `${value.id} ${stateName(value.status?.state)}`;
    case 'statusUpdate':
      return `${stateName(value.status?.state)}${statusText(value.status)}`;
    case 'artifactUpdate': {
      const text = value.artifact.parts.map(partText).join(' ');
      const mark = value.append ? '+' : ' ';
      return `${mark} ${value.artifact.name}${originOf(value.artifact.metadata)}: ${clip(text)}`;
    }
    default:
      return clip(value.parts.map(partText).join(' '));
  }
}

function statusText(status) {
  const text = status?.message?.parts.map(partText).join(' ');
  return text ? `: ${text}` : '';
}

function partText({ content }) {
  return content?.$case === 'text' ? content.value : `[${content?.$case}]`;
}

/** Which agent an artifact is from, as the hub notes it when several work on one task. */
function originOf(metadata) {
  const origin = metadata?.[ROUTING];
  return origin?.agentId ? ` (${origin.agentId})` : '';
}

function clip(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 90 ? `${line.slice(0, 89)}…` : line;
}
