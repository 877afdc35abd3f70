import { Injectable } from '@nestjs/common';
import { RestTransportFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { Egress } from '../../common/egress/egress.js';
import { AppConfig } from '../../config/index.js';
import {
  A2A_VERSION_HEADER,
  HTTP_EXTENSION_HEADER,
  type Message,
  Role,
  type SendMessageRequest,
  StreamResponse,
  type Task,
  TaskState,
} from '../../protocol/a2a.js';
import { HOPS_HEADER } from '../../protocol/hops.js';
import type { Agent } from '../agent.js';
import {
  type AgentCallOptions,
  AgentCallError,
  AgentClient,
  type AgentSend,
} from '../agent-client.js';
import { AgentExchange } from './agent-exchange.js';
import { checkEvent, checkMessage, checkTask } from './check-answer.js';
import { fetchOver } from './exchange-fetch.js';
import { type AgentTransport, JsonRpcTransport } from './json-rpc.transport.js';

/** Name of the extension header in 0.x; 1.0 dropped the prefix. */
const LEGACY_EXTENSION_HEADER = 'X-A2A-Extensions';

/** Pages of ListTasks looked through for a message, and tasks per page. */
const LIST_PAGES = 5;
const LIST_PAGE_SIZE = 100;

/** What every call to one version of an agent shares. */
interface Target {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly connectTimeoutMs: number;
}

/** One call: the transport that makes it and what it sends beside the message. */
interface Call {
  readonly exchange: AgentExchange;
  readonly transport: AgentTransport;
  readonly options: {
    readonly signal: AbortSignal;
    readonly serviceParameters: Record<string, string>;
  };
}

type TransportMaker = (
  agent: Agent,
  exchange: AgentExchange,
  id: number,
) => AgentTransport | Promise<AgentTransport>;

/**
 * The transports by binding and version: the SDK's, but for the one of most calls. They are chosen by
 * the registry's endpoint, never by the card: the SDK's factories take a card of version 0.2.5 for a
 * 1.0 one. A transport is two or three fields, so each call has its own around its exchange.
 */
const TRANSPORTS: Readonly<Record<string, TransportMaker>> = {
  'JSONRPC 1.0': ({ endpoint }, exchange, id) => new JsonRpcTransport(endpoint.url, exchange, id),
  'JSONRPC 0.3': ({ endpoint }, exchange) =>
    new LegacyJsonRpcTransport({ endpoint: endpoint.url, fetchImpl: fetchOver(exchange) }),
  'HTTP+JSON 1.0': ({ endpoint, card }, exchange) =>
    new RestTransportFactory({
      fetchImpl: fetchOver(exchange, (json) => StreamResponse.fromJSON(json)),
    }).create(endpoint.url, card),
  'HTTP+JSON 0.3': ({ endpoint }, exchange) =>
    new LegacyRestTransport({ endpoint: endpoint.url, fetchImpl: fetchOver(exchange) }),
};

/** {@link AgentClient} on the SDK's transports. */
@Injectable()
export class SdkAgentClient extends AgentClient {
  /** By agent object: the registry makes a new one with every change. */
  private readonly targets = new WeakMap<Agent, Target>();
  private calls = 0;

  constructor(
    private readonly egress: Egress,
    private readonly config: AppConfig,
  ) {
    super();
  }

  stream(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    return this.events(agent, options, (call) =>
      call.transport.sendMessageStream(requestOf(agent, send, false), call.options),
    );
  }

  send(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }> {
    return this.call(agent, options, async (call) => {
      const request = requestOf(agent, send, true);
      const answer = await call.transport.sendMessage(request, call.options);
      return 'messageId' in answer
        ? { message: checkMessage(answer, 'message') }
        : { task: checkTask(answer) };
    });
  }

  getTask(agent: Agent, downstreamTaskId: string, options: AgentCallOptions): Promise<Task> {
    const request = { tenant: agent.endpoint.tenant, id: downstreamTaskId };
    return this.call(agent, options, async (call) =>
      checkTask(await call.transport.getTask(request, call.options)),
    );
  }

  subscribe(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const request = { tenant: agent.endpoint.tenant, id: downstreamTaskId };
    return this.events(agent, options, (call) =>
      call.transport.resubscribeTask(request, call.options),
    );
  }

  cancel(agent: Agent, downstreamTaskId: string, options: AgentCallOptions): Promise<Task> {
    const request = {
      tenant: agent.endpoint.tenant,
      id: downstreamTaskId,
      metadata: undefined,
    };
    return this.call(agent, options, async (call) =>
      checkTask(await call.transport.cancelTask(request, call.options)),
    );
  }

  async findTasksByMessage(
    agent: Agent,
    downstreamContextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]> {
    if (agent.endpoint.protocolVersion !== '1.0') return [];
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
      const request = {
        tenant: agent.endpoint.tenant,
        contextId,
        status: TaskState.TASK_STATE_UNSPECIFIED,
        pageSize: LIST_PAGE_SIZE,
        pageToken,
        historyLength: LIST_PAGE_SIZE,
        statusTimestampAfter: undefined,
        includeArtifacts: false,
      };
      const answer = await this.call(agent, options, (call) =>
        call.transport.listTasks(request, call.options),
      );
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

  private async call<T>(
    agent: Agent,
    options: AgentCallOptions,
    run: (call: Call) => Promise<T>,
  ): Promise<T> {
    const call = await this.begin(agent, options);
    try {
      return await run(call);
    } catch (error) {
      throw call.exchange.failure(error);
    }
  }

  private async *events(
    agent: Agent,
    options: AgentCallOptions,
    run: (call: Call) => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const call = await this.begin(agent, options);
    try {
      for await (const event of run(call)) yield checkEvent(event);
    } catch (error) {
      throw call.exchange.failure(error);
    }
  }

  private async begin(agent: Agent, options: AgentCallOptions): Promise<Call> {
    const { protocolBinding, protocolVersion } = agent.endpoint;
    const target = this.targetOf(agent);
    const { signal } = options;
    const exchange = new AgentExchange(this.egress, { ...target, signal });
    const make = TRANSPORTS[`${protocolBinding} ${protocolVersion}`];
    if (make === undefined) {
      throw new AgentCallError('unreachable', `the hub does not speak ${protocolBinding} yet`);
    }
    return {
      exchange,
      transport: await make(agent, exchange, ++this.calls),
      options: { signal, serviceParameters: headersOf(agent, target, options) },
    };
  }

  private targetOf(agent: Agent): Target {
    let target = this.targets.get(agent);
    if (target === undefined) {
      const values = Object.values(agent.credentials);
      target = {
        headers: { ...agent.credentials, [A2A_VERSION_HEADER]: agent.endpoint.protocolVersion },
        // `Bearer abc` may come back as `abc`.
        secrets: values.flatMap((value) => [value, value.split(' ').at(-1) ?? '']).filter(isSecret),
        connectTimeoutMs: agent.budgets.connectMs ?? this.config.agents.connectMs,
      };
      this.targets.set(agent, target);
    }
    return target;
  }
}

/** Failures of ListTasks that mean "cannot say" rather than "try again". */
const SILENT: ReadonlySet<AgentCallError['kind']> = new Set(['rejected', 'invalid', 'not-found']);

/** The client's push config is never among it: the hub tells webhooks itself. */
function requestOf(agent: Agent, send: AgentSend, returnImmediately: boolean): SendMessageRequest {
  return {
    tenant: agent.endpoint.tenant,
    message: send.message,
    configuration: {
      acceptedOutputModes: [...send.acceptedOutputModes],
      taskPushNotificationConfig: undefined,
      returnImmediately,
    },
    metadata: send.metadata === undefined ? undefined : { ...send.metadata },
  };
}

function headersOf(
  agent: Agent,
  target: Target,
  options: AgentCallOptions,
): Record<string, string> {
  const headers: Record<string, string> = { ...target.headers };
  if (options.extensions !== undefined && options.extensions.length > 0) {
    const modern = agent.endpoint.protocolVersion === '1.0';
    headers[modern ? HTTP_EXTENSION_HEADER : LEGACY_EXTENSION_HEADER] =
      options.extensions.join(',');
  }
  if (options.traceparent !== undefined) headers['traceparent'] = options.traceparent;
  if (options.hops !== undefined && options.hops.length > 0) {
    headers[HOPS_HEADER] = options.hops.join(',');
  }
  return headers;
}

/** Shorter values would blank out ordinary words. */
function isSecret(value: string): boolean {
  return value.length >= 6;
}
