import { type Message, type Part, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import {
  type AgentBinding,
  type AgentTurn,
  type RunningAgent,
  startSdkAgent,
} from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { closeClient, type RequestFields, sdkClient, sdkRequest } from '../support/sdk-client.js';
import { WebhookSink } from '../support/webhook-sink.js';

type Version = '1.0' | '0.3';

/** A side of the matrix: what a client or an agent speaks. */
export interface Dialect {
  readonly binding: AgentBinding;
  readonly version: Version;
}

export const VERSIONS: readonly Version[] = ['1.0', '0.3'];
const BINDINGS: readonly AgentBinding[] = ['JSONRPC', 'HTTP+JSON', 'GRPC'];

/** Every agent of the matrix. */
export const AGENTS: readonly Dialect[] = BINDINGS.flatMap((binding) =>
  VERSIONS.map((version) => ({ binding, version })),
);

/**
 * The pairs that every run tests: each dialect with its own, which has each client and each agent, and each
 * with one that is another binding in another version. A thorough run tests all.
 */
export function isUsualPair(client: Dialect, agent: Dialect): boolean {
  const at = AGENTS.findIndex((one) => named(one) === named(client));
  const other = AGENTS[(at + AGENTS.length / 2) % AGENTS.length]!;
  return [named(client), named(other)].includes(named(agent));
}

/** The hub, the six agents and a webhook receiver, shared by all pairs of one file. */
export class Matrix {
  private constructor(
    readonly hub: Hub,
    readonly sink: WebhookSink,
    private readonly agents: ReadonlyMap<string, RunningAgent>,
    private readonly clients: readonly Client[],
  ) {}

  /** Starts everything, with a client of each version on this binding. */
  static async start(binding: AgentBinding): Promise<Matrix> {
    const [hub, sink] = await Promise.all([
      startHub({ config: { grpc: { port: -1 } } }),
      WebhookSink.start(),
    ]);
    const agents = new Map<string, RunningAgent>();
    for (const dialect of AGENTS) {
      const id = agentId(dialect);
      const skills = [{ id: 'work', tags: ['work', id] }];
      const agent = await startSdkAgent({ name: id, ...dialect, skills, execute: behave });
      agents.set(id, agent);
      await hub.registerAgent(agent.url, { id });
    }
    const key = await hub.key();
    const clients = await Promise.all(
      VERSIONS.map((version) => sdkClient(hub.url, key, version, binding)),
    );
    return new Matrix(hub, sink, agents, clients);
  }

  pair(client: Dialect, agent: Dialect): Pair {
    const id = agentId(agent);
    const speaking = this.clients[VERSIONS.indexOf(client.version)]!;
    return new Pair(this.hub, speaking, this.agents.get(id)!, id);
  }

  async close(): Promise<void> {
    for (const client of this.clients) closeClient(client);
    await this.hub.close();
    await Promise.all([...this.agents.values(), this.sink].map((one) => one.close()));
  }
}

/** One client and one agent, with the words a test needs. */
export class Pair {
  constructor(
    private readonly hub: Hub,
    readonly client: Client,
    readonly agent: RunningAgent,
    private readonly id: string,
  ) {}

  /** A request to the agent of this pair. */
  to(text: string, fields: RequestFields = {}): ReturnType<typeof sdkRequest> {
    const metadata = { agentId: this.id, ...fields.message?.metadata };
    return sdkRequest(text, { ...fields, message: { ...fields.message, metadata } });
  }

  /** Sends and waits for the task. */
  async send(text: string, message: Partial<Message> = {}): Promise<Task> {
    return taskOf(await this.client.sendMessage(this.to(text, { message })));
  }

  get(id: string, historyLength?: number): Promise<Task> {
    return this.client.getTask({ tenant: '', id, historyLength });
  }

  cancel(id: string): Promise<Task> {
    return this.client.cancelTask({ tenant: '', id, metadata: undefined });
  }

  subscribe(id: string): AsyncGenerator<StreamResponse, void, undefined> {
    return this.client.resubscribeTask({ tenant: '', id });
  }

  /** Begins a task that is worked on until it is canceled; what the client got at once. */
  async begin(): Promise<Task> {
    const request = this.to('wait', { configuration: { returnImmediately: true } });
    const task = taskOf(await this.client.sendMessage(request));
    await this.hub.waitForTask(task.id, 'TASK_STATE_WORKING');
    return task;
  }

  /** The turn of the agent on the newest message. */
  get turn(): AgentTurn {
    return this.agent.turns.at(-1)!;
  }
}

/** What each agent does, by the text of the message. */
async function behave(turn: AgentTurn): Promise<void> {
  if (turn.isFollowUp) {
    turn.task().working().artifact('answer', `you said ${turn.text}`).complete();
  } else if (turn.text === 'ask') {
    turn.task().askForInput('Which one?');
  } else if (turn.text === 'reply') {
    turn.reply('just a message');
  } else if (turn.text === 'wait') {
    turn.task().working('waiting');
    await turn.untilCanceled();
  } else if (turn.text === 'hand back') {
    const { parts, metadata } = turn.message;
    turn.task().working().artifactOf('back', parts.slice(1), metadata).complete();
  } else {
    turn.task().working('thinking');
    turn.artifact('answer', 'first ', { lastChunk: false });
    turn.artifact('answer', `second of ${turn.text}`, { append: true });
    turn.complete();
  }
}

/** The name of a dialect in a test's title. */
export function named({ binding, version }: Dialect): string {
  return `${binding} ${version}`;
}

/** Fails when the answer is a Message. */
export function taskOf(answer: Message | Task): Task {
  if ('messageId' in answer) throw new Error(`a message came: ${JSON.stringify(answer)}`);
  return answer;
}

/** The state's name without its prefix. */
export function stateOf(one: Pick<Task, 'status'>): string {
  return TaskState[one.status!.state].replace('TASK_STATE_', '');
}

/** The state that the last event of a stream says. */
export function lastState(events: readonly StreamResponse[]): string {
  const payload = events.at(-1)?.payload;
  if (payload === undefined || !('status' in payload.value))
    throw new Error('no status at the end');
  return stateOf(payload.value);
}

/** The content, name and type of each part, as plain values. */
export function contentsOf(parts: readonly Part[] | undefined): unknown[] {
  return (parts ?? []).map(({ content, filename, mediaType, metadata }) => ({
    content: content?.$case === 'raw' ? Buffer.from(content.value).toString() : content?.value,
    kind: content?.$case,
    filename,
    mediaType,
    metadata: metadata ?? {},
  }));
}

/**
 * 0.3 over HTTP+JSON and gRPC is said in the shapes of the package a2a.v1. As the SDK has them, a part
 * has neither metadata nor a file name there, and data is an object.
 */
export function isLegacyProto({ binding, version }: Dialect): boolean {
  return version === '0.3' && binding !== 'JSONRPC';
}

/** What is left of parts that go by these dialects, as {@link contentsOf} shows it. */
export function contentsThrough(parts: readonly Part[], ...dialects: Dialect[]): unknown[] {
  if (!dialects.some(isLegacyProto)) return contentsOf(parts);
  return contentsOf(
    parts.map((part) => ({
      ...part,
      content: part.content?.$case === 'data' ? wrapped(part.content.value) : part.content,
      filename: '',
      metadata: undefined,
    })),
  );
}

function wrapped(value: unknown): Part['content'] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { $case: 'data', value: isObject ? value : { value } };
}

function agentId({ binding, version }: Dialect): string {
  return `${binding}-${version}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
