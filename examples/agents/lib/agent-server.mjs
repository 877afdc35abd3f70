// What the example agents share: the official SDK's server on express, and a `Turn` with the few
// words an agent needs to answer a message.
import { randomUUID } from 'node:crypto';
import { Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';

/** One message to one agent. */
export class Turn {
  constructor(context, bus) {
    this.context = context;
    this.bus = bus;
    this.canceled = false;
  }

  /** All messages the client has sent in this task, oldest first. */
  get messages() {
    const earlier = (this.context.task?.history ?? []).filter(
      (message) =>
        message.role === Role.ROLE_USER && message.messageId !== this.context.userMessage.messageId,
    );
    return [...earlier, this.context.userMessage];
  }

  /** The newest message's text parts, joined. */
  get text() {
    return textOf(this.context.userMessage);
  }

  /** The newest file of the task: `{name, mediaType, text}`; undefined when none was sent. */
  get file() {
    return this.messages.flatMap(filesOf).at(-1);
  }

  /** Shows the task to the client; comes before everything else. */
  begin() {
    this.bus.publish(
      AgentEvent.task(
        this.context.task ?? {
          id: this.context.taskId,
          contextId: this.context.contextId,
          status: { state: TaskState.TASK_STATE_SUBMITTED, timestamp: now(), message: undefined },
          artifacts: [],
          history: [this.context.userMessage],
          metadata: undefined,
        },
      ),
    );
  }

  progress(text) {
    this.status(TaskState.TASK_STATE_WORKING, text);
  }

  ask(question) {
    this.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
  }

  complete(text) {
    this.status(TaskState.TASK_STATE_COMPLETED, text);
  }

  reject(reason) {
    this.status(TaskState.TASK_STATE_REJECTED, reason);
  }

  /** A chunk of an artifact: `{id, name, parts, append, last}`. */
  artifact({ id, name, description = '', parts, append = false, last = true }) {
    this.bus.publish(
      AgentEvent.artifactUpdate({
        taskId: this.context.taskId,
        contextId: this.context.contextId,
        artifact: { artifactId: id, name, description, parts, metadata: undefined, extensions: [] },
        append,
        lastChunk: last,
        metadata: undefined,
      }),
    );
  }

  status(state, text) {
    const message =
      text === undefined
        ? undefined
        : {
            messageId: randomUUID(),
            role: Role.ROLE_AGENT,
            taskId: this.context.taskId,
            contextId: this.context.contextId,
            parts: [textPart(text)],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          };
    this.bus.publish(
      AgentEvent.statusUpdate({
        taskId: this.context.taskId,
        contextId: this.context.contextId,
        status: { state, timestamp: now(), message },
        metadata: undefined,
      }),
    );
  }
}

/** Lets other requests (a cancel, for one) come in between two steps of long work. */
export const breathe = () => new Promise((resolve) => setImmediate(resolve));

export function textPart(text, filename = '', mediaType = 'text/plain') {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename, mediaType };
}

export function dataPart(value) {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  };
}

/**
 * Serves an agent on `--port` or PORT (0: any free one) of HOST and prints where; its card says PUBLIC_URL, where that is
 * set. `run(turn)` does the work; a turn that throws ends as failed, with the error's message.
 */
export async function serveAgent({ name, description, skills, streaming, run }) {
  const { port, host } = listenOptions();
  const app = express();
  const server = app.listen(port, host);
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const url = process.env.PUBLIC_URL ?? `http://${host}:${server.address().port}`;
  const card = cardOf({ name, description, skills, streaming, url });
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    new TurnExecutor(run),
  );
  app.get('/.well-known/agent-card.json', (_request, response) => void response.json(card));
  app.use(express.json({ limit: '32mb' }));
  app.use(jsonRpcHandler({ requestHandler, userBuilder: () => UserBuilder.noAuthentication() }));
  console.log(`${name} listening on ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
}

class TurnExecutor {
  constructor(run) {
    this.run = run;
    this.turns = new Map();
  }

  async execute(context, bus) {
    const turn = new Turn(context, bus);
    this.turns.set(context.taskId, turn);
    turn.begin();
    await this.run(turn);
    if (this.turns.get(context.taskId) === turn) this.turns.delete(context.taskId);
  }

  async cancelTask(taskId, bus) {
    const turn =
      this.turns.get(taskId) ??
      new Turn({ taskId, contextId: '', userMessage: undefined, task: undefined }, bus);
    turn.canceled = true;
    turn.status(TaskState.TASK_STATE_CANCELED);
    bus.finished();
  }
}

function cardOf({ name, description, skills, streaming, url }) {
  return {
    name,
    description,
    version: '1.0.0',
    supportedInterfaces: [
      { url: `${url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
    ],
    provider: undefined,
    capabilities: {
      streaming,
      pushNotifications: false,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: skills.map((skill) => ({
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
      ...skill,
    })),
    documentationUrl: '',
    signatures: [],
  };
}

function textOf(message) {
  return message.parts
    .filter((part) => part.content?.$case === 'text' && part.filename === '')
    .map((part) => part.content.value)
    .join('\n')
    .trim();
}

/** Files sent inline: raw bytes, or a text part with a file name. */
function filesOf(message) {
  return message.parts.flatMap((part) => {
    const { content, filename, mediaType } = part;
    if (content?.$case === 'raw') {
      return [{ name: filename, mediaType, text: Buffer.from(content.value).toString('utf8') }];
    }
    if (content?.$case === 'text' && filename !== '') {
      return [{ name: filename, mediaType, text: content.value }];
    }
    return [];
  });
}

function listenOptions() {
  const at = process.argv.indexOf('--port');
  const port = at > 0 ? Number(process.argv[at + 1]) : Number(process.env.PORT ?? 0);
  return { port, host: process.env.HOST ?? '127.0.0.1' };
}

function now() {
  return new Date().toISOString();
}
