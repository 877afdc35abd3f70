import { randomUUID } from 'node:crypto';
import express from 'express';
import {
  type AgentCard,
  type Artifact,
  type Message,
  type Part,
  Role,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';

import { listenOnLoopback } from './http-listener.js';
import type { JsonObject } from './json.js';

export { ScriptedAgent } from './scripted-agent.js';

/** A running agent as a test sees it. */
export interface RunningAgent {
  /** Where its card is found (origin). */
  readonly url: string;
  readonly port: number;
  /** JSON-RPC bodies it got, oldest first. */
  readonly calls: {
    readonly method: string;
    readonly body: JsonObject;
    readonly headers: NodeJS.Dict<string | string[]>;
  }[];
  /** Turns of the executor so far. */
  readonly turns: AgentTurn[];
  close(): Promise<void>;
}

export interface SdkAgentOptions {
  readonly name?: string;
  /** `1.0` (default), `0.3` (speaks and shows 0.3 only), or `both`. */
  readonly version?: '1.0' | '0.3' | 'both';
  readonly streaming?: boolean;
  readonly skills?: readonly { id: string; name?: string; tags?: string[]; description?: string }[];
  /** What the agent does with a message; default: answers with an artifact that echoes the text. */
  readonly execute?: (turn: AgentTurn) => Promise<void> | void;
  readonly card?: Partial<AgentCard>;
}

/** One run of an agent on one message, with the words a test needs. */
export class AgentTurn {
  readonly canceled = new AbortController();

  constructor(
    readonly context: RequestContext,
    readonly bus: ExecutionEventBus,
  ) {}

  get taskId(): string {
    return this.context.taskId;
  }

  get contextId(): string {
    return this.context.contextId;
  }

  get message(): Message {
    return this.context.userMessage;
  }

  /** All text parts of the message, joined. */
  get text(): string {
    return textOf(this.message.parts);
  }

  /** True when the message continues a task. */
  get isFollowUp(): boolean {
    return this.context.task !== undefined;
  }

  /** Publishes the task; must come first (unless the answer is a plain message). */
  task(state: TaskState = TaskState.TASK_STATE_SUBMITTED): this {
    const task: Task = this.context.task ?? {
      id: this.taskId,
      contextId: this.contextId,
      status: status(state),
      artifacts: [],
      history: [this.message],
      metadata: undefined,
    };
    this.bus.publish(AgentEvent.task(task));
    return this;
  }

  status(state: TaskState, text?: string): this {
    const message = text === undefined ? undefined : this.agentMessage(text);
    this.bus.publish(
      AgentEvent.statusUpdate({
        taskId: this.taskId,
        contextId: this.contextId,
        status: status(state, message),
        metadata: undefined,
      }),
    );
    return this;
  }

  working(text?: string): this {
    return this.status(TaskState.TASK_STATE_WORKING, text);
  }

  complete(text?: string): this {
    return this.status(TaskState.TASK_STATE_COMPLETED, text);
  }

  fail(text?: string): this {
    return this.status(TaskState.TASK_STATE_FAILED, text);
  }

  askForInput(question: string): this {
    return this.status(TaskState.TASK_STATE_INPUT_REQUIRED, question);
  }

  /** One chunk; `append` adds to the artifact of this id. */
  artifact(
    artifactId: string,
    text: string,
    options: { append?: boolean; lastChunk?: boolean; name?: string } = {},
  ): this {
    const artifact: Artifact = {
      artifactId,
      name: options.name ?? artifactId,
      description: '',
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
    };
    this.bus.publish(
      AgentEvent.artifactUpdate({
        taskId: this.taskId,
        contextId: this.contextId,
        artifact,
        append: options.append ?? false,
        lastChunk: options.lastChunk ?? true,
        metadata: undefined,
      }),
    );
    return this;
  }

  /** Answers with a plain Message: no task. */
  reply(text: string): this {
    const message = { ...this.agentMessage(text), taskId: '' };
    this.bus.publish(AgentEvent.message(message));
    return this;
  }

  /** Waits; ends early (and returns true) when the task is canceled. */
  async pause(ms: number): Promise<boolean> {
    if (this.canceled.signal.aborted) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.canceled.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return this.canceled.signal.aborted;
  }

  private agentMessage(text: string): Message {
    return {
      messageId: randomUUID(),
      contextId: this.contextId,
      taskId: this.taskId,
      role: Role.ROLE_AGENT,
      parts: [textPart(text)],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    };
  }
}

/** Starts a real agent on the SDK's server, on a free port. */
export async function startSdkAgent(options: SdkAgentOptions = {}): Promise<RunningAgent> {
  const version = options.version ?? '1.0';
  const app = express();
  const { url, port, close } = await listenOnLoopback(app);
  const card = sdkCard(url, options);
  const executor = new FunctionExecutor(options.execute ?? echo);
  const handler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const calls: RunningAgent['calls'] = [];
  app.get('/.well-known/agent-card.json', (_request, response) => {
    response.json(version === '0.3' ? legacyCard(url, card) : card);
  });
  app.use(express.json({ limit: '32mb' }), (request, _response, next) => {
    const body = request.body as JsonObject | undefined;
    if (body?.method) calls.push({ method: String(body.method), body, headers: request.headers });
    next();
  });
  app.use(
    jsonRpcHandler({
      requestHandler: handler,
      userBuilder: () => UserBuilder.noAuthentication(),
      legacyCompat: { enabled: version !== '1.0' },
    }),
  );
  return {
    url,
    port,
    calls,
    turns: executor.turns,
    close: () => {
      for (const turn of executor.turns) turn.canceled.abort();
      return close();
    },
  };
}

/** Text of all text parts. */
export function textOf(parts: readonly Part[] | undefined): string {
  return (parts ?? [])
    .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
    .join('');
}

export function textPart(text: string): Part {
  return {
    content: { $case: 'text', value: text },
    metadata: undefined,
    filename: '',
    mediaType: 'text/plain',
  };
}

class FunctionExecutor implements AgentExecutor {
  readonly turns: AgentTurn[] = [];
  private readonly running = new Map<string, AgentTurn>();

  constructor(private readonly run: NonNullable<SdkAgentOptions['execute']>) {}

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const turn = new AgentTurn(context, bus);
    this.turns.push(turn);
    this.running.set(turn.taskId, turn);
    try {
      await this.run(turn);
    } finally {
      if (this.running.get(turn.taskId) === turn) this.running.delete(turn.taskId);
    }
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const turn = this.running.get(taskId) ?? this.turns.findLast((one) => one.taskId === taskId);
    turn?.canceled.abort();
    turn?.status(TaskState.TASK_STATE_CANCELED);
    bus.finished();
  }
}

function echo(turn: AgentTurn): void {
  turn.task().working().artifact('echo', `echo: ${turn.text}`).complete();
}

function status(state: TaskState, message?: Message): TaskStatus {
  return { state, message, timestamp: new Date().toISOString() };
}

function sdkCard(url: string, options: SdkAgentOptions): AgentCard {
  const versions = options.version === 'both' ? ['1.0', '0.3'] : [options.version ?? '1.0'];
  const skills = options.skills ?? [{ id: 'echo', tags: ['echo'] }];
  return {
    name: options.name ?? 'Test agent',
    description: 'An agent of the tests.',
    supportedInterfaces: versions.map((protocolVersion) => ({
      url: `${url}/`,
      protocolBinding: 'JSONRPC',
      protocolVersion,
      tenant: '',
    })),
    provider: undefined,
    version: '1.0.0',
    capabilities: {
      streaming: options.streaming ?? true,
      pushNotifications: false,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: skills.map((skill) => ({
      id: skill.id,
      name: skill.name ?? skill.id,
      description: skill.description ?? `Skill ${skill.id}`,
      tags: skill.tags ?? [skill.id],
      examples: [],
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    })),
    documentationUrl: '',
    signatures: [],
    ...options.card,
  };
}

/** The card as an agent of protocol 0.3 publishes it. */
function legacyCard(url: string, card: AgentCard): Record<string, unknown> {
  return {
    protocolVersion: '0.3.0',
    name: card.name,
    description: card.description,
    url: `${url}/`,
    preferredTransport: 'JSONRPC',
    version: card.version,
    capabilities: { streaming: card.capabilities?.streaming ?? false, pushNotifications: false },
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(({ id, name, description, tags }) => ({ id, name, description, tags })),
  };
}
