import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from '../../common/egress/egress.js';
import { ReadBudget, readRules } from '../../common/read-budget.js';
import { secretsIn } from '../../common/safe-words.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { AppConfig } from '../../config/index.js';
import {
  A2A_VERSION_HEADER,
  HTTP_EXTENSION_HEADER,
  type ListTasksResponse,
  Role,
  type SendMessageRequest,
  StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  TaskState,
} from '../../protocol/a2a.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import { isListable } from '../../protocol/header-list.js';
import { HOPS_HEADER } from '../../protocol/hops.js';
import type { Agent, AgentEndpoint } from '../agent.js';
import {
  type AgentCallback,
  type AgentCallOptions,
  AgentCallError,
  AgentClient,
  type AgentSend,
} from './agent-client.js';
import { AgentQuirks, type QuirkKind } from '../registry/agent-quirks.js';
import { isGivenFor } from '../endpoint/credential-origins.js';
import { sendable } from '../endpoint/sealed-headers.js';
import type { AgentTransport } from './agent-transport.js';
import { CallGate } from './call-gate.js';
import { type AgentMethod, CallPlan } from './call-plan.js';
import { EndpointMemory } from './endpoint-memory.js';
import { FileFormQuestions, type FormAnswer } from './file-form-questions.js';
import { FileBytes, type FileForm, formOfRefusal, formOfStatus } from './file-forms.js';
import { GrpcChannels } from './grpc-channels.js';
import { GrpcExchange } from './grpc-exchange.js';
import { GrpcTransport } from './grpc.transport.js';
import { HttpExchange, type HttpWay } from './http-exchange.js';
import { JsonRpcTransport } from './json-rpc.transport.js';
import { LegacyGrpcTransports } from './legacy-grpc.transport.js';
import { LegacyJsonRpcTransport } from './legacy-json-rpc.transport.js';
import { LegacyRestTransport } from './legacy-rest.transport.js';
import { addressFor, paramsBeside } from './method-address.js';
import { readEvent, readSent, readTask, type Answered, type Sent } from './read-answer.js';
import { RestTransport } from './rest.transport.js';

/** Name of the extension header in 0.x; 1.0 dropped the prefix. */
const LEGACY_EXTENSION_HEADER = 'X-A2A-Extensions';

/** Pages of ListTasks looked through for a message, and tasks per page. */
const LIST_PAGES = 5;
const LIST_PAGE_SIZE = 100;
/** The messages of each that are asked for, and what LangGraph has at most: it refuses more. */
const LIST_HISTORY = 100;
const SHORT_LIST_HISTORY = 10;

/** Looks at tasks of one agent, and cancels, under way at once. */
const LOOKS_AT_ONCE = 64;
const CANCELS_AT_ONCE = 64;

/** What every call to one agent shares. */
interface Target {
  readonly agentId: string;
  readonly secrets: readonly string[];
  readonly connectTimeoutMs: number;
}

/** One call at one interface: the transport that makes it and what it sends beside the message. */
interface Call extends Answered {
  readonly tenant: string;
  readonly exchange: Pick<HttpExchange, 'failure' | 'release'>;
  readonly transport: AgentTransport;
  readonly options: {
    readonly signal: AbortSignal;
    readonly serviceParameters: Record<string, string>;
  };
}

type TransportMaker = (
  endpoint: AgentEndpoint,
  exchange: HttpExchange,
  call: {
    readonly id: number;
    readonly forgave: () => void;
    readonly files: FileBytes;
    readonly params: object | undefined;
  },
) => AgentTransport | Promise<AgentTransport>;

/**
 * The transports over HTTP by binding and version: the SDK's, but for the one of most calls. They are
 * chosen by the registry's endpoint, never by the card: the SDK's factories take a card of version
 * 0.2.5 for a 1.0 one. A transport is two or three fields, so each call has its own around its exchange.
 */
const HTTP_TRANSPORTS = {
  'JSONRPC 1.0': ({ url }, exchange, { id }) => new JsonRpcTransport(url, exchange, id),
  'JSONRPC 0.3': ({ url }, exchange, { forgave, params }) =>
    new LegacyJsonRpcTransport(url, exchange, forgave, params),
  'HTTP+JSON 1.0': ({ url }, exchange) => new RestTransport(url, exchange),
  'HTTP+JSON 0.3': ({ url }, exchange, { forgave, files }) =>
    new LegacyRestTransport(url, exchange, forgave, files),
} satisfies Record<string, TransportMaker>;

/** The connections and limits that all calls to agents share. */
interface Wires {
  readonly egress: HttpWay;
  readonly channels: GrpcChannels;
  /** Of all agents' answers. */
  readonly budget: ReadBudget;
  readonly legacyGrpc: LegacyGrpcTransports;
  /** Messages and streams have places; these have not. */
  readonly gates: Readonly<Partial<Record<AgentMethod, CallGate>>>;
}

/** What a probe finds stays with it. */
export interface ProbeEars {
  readonly memory: EndpointMemory;
  readonly quirks: Pick<AgentQuirks, 'note'>;
  /** The way of its calls over HTTP. */
  readonly egress: HttpWay;
}

/** {@link AgentClient} on the SDK's transports, and over gRPC on its service definitions. */
class WiredAgentClient extends AgentClient {
  /** By agent object: the registry makes a new one with every change. */
  private readonly targets = new WeakMap<Agent, Target>();
  private calls = 0;
  private readonly forms: FileFormQuestions;

  constructor(
    protected readonly wires: Wires,
    protected readonly config: AppConfig,
    private readonly memory: EndpointMemory,
    private readonly quirks: Pick<AgentQuirks, 'note'>,
  ) {
    super();
    this.forms = new FileFormQuestions(memory, (...asked) => this.askForm(...asked));
  }

  stream(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.events('SendStreamingMessage', agent, options, (call) =>
      call.transport.sendMessageStream(requestOf(call, send, false), call.options),
    );
  }

  send(agent: Agent, send: AgentSend, options: AgentCallOptions): Promise<Sent> {
    return this.call('SendMessage', agent, options, (call) => {
      const request = requestOf(call, send, agent.switches.blocking !== 'on');
      return readSent(call.transport.sendMessage(request, call.options), call);
    });
  }

  getTask(agent: Agent, downstreamTaskId: string, options: AgentCallOptions): Promise<Task> {
    return this.call('GetTask', agent, options, (call) => {
      const request = { tenant: call.tenant, id: downstreamTaskId };
      return readTask(call.transport.getTask(request, call.options), call);
    });
  }

  subscribe(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.events('SubscribeToTask', agent, options, ({ transport, tenant, ...call }) =>
      transport.resubscribeTask({ tenant, id: downstreamTaskId }, call.options),
    );
  }

  cancel(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<Task> {
    return this.call('CancelTask', agent, options, (call) => {
      const request = { tenant: call.tenant, id: downstreamTaskId, metadata };
      return readTask(call.transport.cancelTask(request, call.options), call);
    });
  }

  async findTasksByMessage(
    agent: Agent,
    downstreamContextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]> {
    try {
      return await this.listed(agent, downstreamContextId, messageId, options);
    } catch (error) {
      // An agent without ListTasks, or with one that needs more rights, cannot say.
      if (error instanceof AgentCallError && SILENT.has(error.kind)) return [];
      throw error;
    }
  }

  private async listed(
    agent: Agent,
    contextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<Task[]> {
    const found: Task[] = [];
    let pageToken = '';
    for (let page = 0; page < LIST_PAGES; page++) {
      const answer = await this.listPage(agent, contextId, pageToken, options);
      found.push(
        ...answer.tasks.filter((task) =>
          task.history.some(
            (message) => message.role === Role.ROLE_USER && message.messageId === messageId,
          ),
        ),
      );
      if (answer.nextPageToken === '') break;
      pageToken = answer.nextPageToken;
    }
    return found;
  }

  /** One page of ListTasks; unlike {@link findTasksByMessage} it rejects where the agent has none. */
  async listPage(
    agent: Agent,
    contextId: string,
    pageToken: string,
    options: AgentCallOptions,
  ): Promise<ListTasksResponse> {
    const once = { ...options, hold: undefined };
    try {
      return await this.listWith(LIST_HISTORY, agent, contextId, pageToken, once);
    } catch (error) {
      const isTooMuch =
        error instanceof AgentCallError && error.detail.code === ERROR_CODES.INVALID_PARAMS;
      if (!isTooMuch) throw error;
      return this.listWith(SHORT_LIST_HISTORY, agent, contextId, pageToken, once);
    }
  }

  private listWith(
    historyLength: number,
    agent: Agent,
    contextId: string,
    pageToken: string,
    options: AgentCallOptions,
  ): Promise<ListTasksResponse> {
    return this.call('ListTasks', agent, options, ({ transport, tenant, ...call }) =>
      transport.listTasks(
        {
          tenant,
          contextId,
          status: TaskState.TASK_STATE_UNSPECIFIED,
          pageSize: LIST_PAGE_SIZE,
          pageToken,
          historyLength,
          statusTimestampAfter: undefined,
          includeArtifacts: false,
        },
        call.options,
      ),
    );
  }

  private async call<T>(
    method: AgentMethod,
    agent: Agent,
    options: AgentCallOptions,
    run: (call: Call) => Promise<T>,
  ): Promise<T> {
    options.connection?.wanted();
    const leave = await this.wires.gates[method]?.enter(agent.id, options.signal);
    try {
      const plan = new CallPlan(agent, this.memory, method);
      for (;;) {
        const call = await this.begin(method, agent, plan.current, options);
        try {
          const answer = await run(call);
          plan.answered();
          const release = (): void => call.exchange.release();
          if (options.hold === undefined) release();
          else options.hold(release);
          return answer;
        } catch (error) {
          call.exchange.release();
          const end = plan.failed(call.exchange.failure(error));
          if (end !== undefined) throw end;
        }
      }
    } finally {
      leave?.();
    }
  }

  private async *events(
    method: AgentMethod,
    agent: Agent,
    options: AgentCallOptions,
    run: (call: Call) => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const plan = new CallPlan(agent, this.memory, method);
    for (;;) {
      const call = await this.begin(method, agent, plan.current, options);
      let answered = false;
      try {
        for await (const event of run(call)) {
          const checked = readEvent(event, call);
          if (!answered) plan.answered();
          answered = true;
          yield checked;
        }
        return;
      } catch (error) {
        call.exchange.release();
        const failure = call.exchange.failure(error);
        const end = answered ? failure : plan.failed(failure);
        if (end !== undefined) throw end;
      }
    }
  }

  private async begin(
    method: AgentMethod,
    agent: Agent,
    endpoint: AgentEndpoint,
    options: AgentCallOptions,
    files = new FileBytes(() => this.forms.formOf(agent, endpoint, options.signal)),
  ): Promise<Call> {
    const { protocolBinding, protocolVersion, tenant, url } = endpoint;
    const { signal, connection } = options;
    connection?.wanted();
    const { config } = this;
    const { budget, gates, channels, legacyGrpc, egress } = this.wires;
    const shared = {
      ...this.targetOf(agent),
      signal,
      onSent: (): void => connection?.given(),
      budget,
      maxAnswerBytes: config.tasks.maxSizeBytes,
      forgave: (kind: QuirkKind): void => this.quirks.note(agent, kind),
    };
    const headers = headersOf(agent, endpoint, options);
    const forgave = (): void => shared.forgave('other-form');
    const call = { tenant, forgave, options: { signal, serviceParameters: headers } };
    if (protocolBinding === 'GRPC') {
      const kind = method in gates ? 'control' : 'message';
      const exchange = new GrpcExchange(channels, { ...shared, kind, address: url, headers });
      const modern = protocolVersion === '1.0';
      const transport = modern ? new GrpcTransport(exchange) : legacyGrpc.over(exchange, files);
      return { ...call, exchange, transport };
    }
    const exchange = new HttpExchange(egress, shared);
    const make: TransportMaker = HTTP_TRANSPORTS[`${protocolBinding} ${protocolVersion}`];
    const at = { ...endpoint, url: addressFor(endpoint, method) };
    if (at.url !== url) shared.forgave('address-per-method');
    const params = paramsBeside(endpoint, method, options.contextId);
    const transport = await make(at, exchange, { id: ++this.calls, forgave, files, params });
    return { ...call, exchange, transport };
  }

  /** How files go to and come from the interface that is called now; null where there is one form only. */
  async filesOf(agent: Agent, { signal }: AgentCallOptions): Promise<FileForm | null> {
    const endpoint = this.memory.now(agent);
    const isProto = endpoint.protocolVersion === '0.3' && endpoint.protocolBinding !== 'JSONRPC';
    return isProto ? this.forms.formOf(agent, endpoint, signal) : null;
  }

  /** Asks the server for a task that nobody has. Files of what it answers all the same stay as they are. */
  private async askForm(
    agent: Agent,
    endpoint: AgentEndpoint,
    signal: AbortSignal,
  ): Promise<FormAnswer> {
    const files = new FileBytes(() => Promise.resolve('once'));
    const call = await this.begin('GetTask', agent, endpoint, { signal }, files);
    const { exchange, transport, options } = call;
    try {
      await transport.getTask({ tenant: endpoint.tenant, id: randomUUID() }, options);
      return 'once';
    } catch (error) {
      const { kind, message } = exchange.failure(error);
      if (kind === 'unreachable') return kind;
      if (kind === 'interrupted') return 'silent';
      const isHttp = exchange instanceof HttpExchange;
      return isHttp ? formOfRefusal(exchange.refusalBody ?? '') : formOfStatus(message);
    } finally {
      exchange.release();
    }
  }

  private targetOf(agent: Agent): Target {
    let target = this.targets.get(agent);
    if (target === undefined) {
      target = {
        agentId: agent.id,
        secrets: secretsIn(agent.credentials),
        connectTimeoutMs: agent.budgets.connectMs ?? this.config.agents.connectMs,
      };
      this.targets.set(agent, target);
    }
    return target;
  }
}

export type ProbingClient = Pick<
  WiredAgentClient,
  'stream' | 'send' | 'getTask' | 'cancel' | 'listPage' | 'filesOf'
>;

/** The client of the hub's own work. */
@Injectable()
export class SdkAgentClient extends WiredAgentClient implements OnApplicationShutdown {
  constructor(
    egress: Egress,
    config: AppConfig,
    memory: EndpointMemory,
    @Inject(AgentQuirks) quirks: Pick<AgentQuirks, 'note'>,
  ) {
    const looks = new CallGate(LOOKS_AT_ONCE);
    const wires = {
      egress,
      channels: new GrpcChannels(egress, config.tasks.maxSizeBytes),
      budget: new ReadBudget(readRules(config.agents.readBudgetBytes)),
      legacyGrpc: new LegacyGrpcTransports(),
      gates: { GetTask: looks, ListTasks: looks, CancelTask: new CallGate(CANCELS_AT_ONCE) },
    };
    super(wires, config, memory, quirks);
  }

  /** A client for one probe, over the same connections and within the same limits. */
  probing({ memory, quirks, egress }: ProbeEars): ProbingClient {
    return new WiredAgentClient({ ...this.wires, egress }, this.config, memory, quirks);
  }

  /** The runner has ended its calls by now; what HTTP keeps open is the egress's to close. */
  onApplicationShutdown(): void {
    this.wires.channels.close();
  }
}

/** Failures of ListTasks that mean "cannot say" rather than "try again". */
const SILENT: ReadonlySet<AgentCallError['kind']> = new Set(['rejected', 'invalid', 'not-found']);

/** The client's push config is never among it: the hub tells webhooks itself. */
function requestOf(call: Call, send: AgentSend, returnImmediately: boolean): SendMessageRequest {
  return {
    tenant: call.tenant,
    message: send.message,
    configuration: {
      acceptedOutputModes: [...send.acceptedOutputModes],
      taskPushNotificationConfig: send.callback && configOf(send.callback),
      returnImmediately,
    },
    metadata: send.metadata === undefined ? undefined : { ...send.metadata },
  };
}

/** Agents of 0.x send the token only; those of 1.0 prove themselves by both. */
function configOf({ url, token }: AgentCallback): TaskPushNotificationConfig {
  const authentication = { scheme: 'Bearer', credentials: token };
  return { tenant: '', taskId: '', id: '', url, token, authentication };
}

/** Nothing is sent without credentials that cannot be opened: the agent counts as out of reach. */
function credentialsOf({ credentials }: Agent): Readonly<Record<string, string>> {
  try {
    return sendable(credentials);
  } catch (error) {
    if (!(error instanceof SecretLockedError)) throw error;
    throw new AgentCallError('unreachable', error.message, { cause: error });
  }
}

function headersOf(
  agent: Agent,
  endpoint: AgentEndpoint,
  options: AgentCallOptions,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...(isGivenFor(endpoint, agent) && credentialsOf(agent)),
    [A2A_VERSION_HEADER]: endpoint.protocolVersion,
  };
  // What cannot be in the list is in the message all the same.
  const extensions = options.extensions?.filter(isListable) ?? [];
  if (extensions.length > 0) {
    const modern = endpoint.protocolVersion === '1.0';
    headers[modern ? HTTP_EXTENSION_HEADER : LEGACY_EXTENSION_HEADER] = extensions.join(',');
  }
  if (options.traceparent !== undefined) headers['traceparent'] = options.traceparent;
  if (options.hops !== undefined && options.hops.length > 0) {
    headers[HOPS_HEADER] = options.hops.join(',');
  }
  return headers;
}
