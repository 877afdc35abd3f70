import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Egress } from '../../common/egress/egress.js';
import { ReadBudget, readRules } from '../../common/read-budget.js';
import { secretsIn } from '../../common/safe-words.js';
import { SecretReferences } from '../../common/secret-references/secret-references.js';
import { type Span, Tracing } from '../../common/tracing/tracing.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { AppConfig } from '../../config/index.js';
import { type ListTasksResponse, StreamResponse, type Task } from '../../protocol/a2a.js';
import { CALLER_HEADER } from '../../protocol/caller-token.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import { type Agent, type AgentEndpoint, budgetsOf } from '../agent.js';
import { agentFor } from '../endpoint/agent-for.js';
import { Locked } from '../endpoint/sealed-json.js';
import {
  type AgentCaller,
  type AgentCallOptions,
  AgentClient,
  type AgentSend,
} from './agent-client.js';
import { AgentCallError, endedCall } from '../binding/agent-call-error.js';
import { AgentDeviations, type DeviationKind } from '../registry/agent-deviations.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentAuthenticator } from './authentication/agent-authenticator.js';
import { CallerTokens } from './caller-tokens.js';
import { credentialsFor, headersOf } from './call-headers.js';
import { LIST_HISTORY, listRequest, SHORT_LIST_HISTORY, tasksWithMessage } from './list-tasks.js';
import { type Again, type HubProof, provenAgain } from './proven-again.js';
import { explained } from './refused-credentials.js';
import { requestOf } from './send-request.js';
import type { AgentTransport } from '../binding/agent-transport.js';
import { CallGate } from './call-gate.js';
import { beginCallSpan, endingIfThrown, failCallSpan, noteEvent } from './call-span.js';
import { CallPlan } from './call-plan.js';
import type { AgentMethod } from '../binding/agent-method.js';
import { EndpointMemory } from './endpoint-memory.js';
import { FileFormQuestions, type FormAnswer } from './file-form-questions.js';
import { FileBytes, type FileForm } from '../binding/file-forms.js';
import type { OpenCall } from '../binding/binding.js';
import { bindingOf, connectAll, type Connectors } from '../binding/bindings.js';
import type { HttpWay } from '../binding/http-exchange.js';
import { readEvent, readSent, readTask, type Answered, type Sent } from './read-answer.js';

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
interface Call extends Answered, OpenCall {
  readonly tenant: string;
  readonly transport: AgentTransport;
  readonly span: Span | undefined;
  readonly options: {
    readonly signal: AbortSignal;
    readonly serviceParameters: Record<string, string>;
  };
}

/** A call that is made. */
interface Requested extends AgentCallOptions {
  /** It asks the agent for new work. */
  readonly begins?: boolean;
}

/** The connections and limits that all calls to agents share. */
interface Wires {
  readonly http: HttpWay;
  readonly connectors: Connectors;
  readonly callers: Pick<CallerTokens, 'issue'>;
  readonly references: Pick<SecretReferences, 'current' | 'resolve' | 'refresh'>;
  readonly authenticator: Pick<AgentAuthenticator, 'prove'>;
  /** An agent as it is registered now, `closed` where it takes such a call no more; undefined for one that is not, and of probes. */
  readonly newest: (agentId: string, requested: Requested) => Promise<Agent | 'closed' | undefined>;
  readonly tracing: Pick<Tracing, 'isOn' | 'begin'>;
  /** Of all agents' answers. */
  readonly budget: ReadBudget;
  /** Messages and streams have places; these have not. */
  readonly gates: Readonly<Partial<Record<AgentMethod, CallGate>>>;
}

/** What a probe finds stays with it. */
export interface ProbeDeps {
  readonly memory: EndpointMemory;
  readonly deviations: Pick<AgentDeviations, 'note'>;
  /** The way of its calls over HTTP. */
  readonly egress: HttpWay;
  /** Told what proved the hub in each call, before it is made: it must not be shown. */
  readonly noteSecrets: (secrets: readonly string[]) => void;
}

/** {@link AgentClient} on the SDK's transports, and over gRPC on its service definitions. */
class WiredAgentClient extends AgentClient {
  /** By agent object: the registry makes a new one with every change. */
  private readonly targets = new WeakMap<Agent, Target>();
  private readonly forms: FileFormQuestions;

  constructor(
    protected readonly wires: Wires,
    protected readonly config: AppConfig,
    private readonly memory: EndpointMemory,
    private readonly deviations: Pick<AgentDeviations, 'note'>,
  ) {
    super();
    this.forms = new FileFormQuestions(memory, (...requested) => this.askForm(...requested));
  }

  stream(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const requested = { ...options, begins: isFirst(send) };
    return this.events('SendStreamingMessage', agent, requested, (call) =>
      call.transport.sendMessageStream(requestOf(call, send, false), call.options),
    );
  }

  send(agent: Agent, send: AgentSend, options: AgentCallOptions): Promise<Sent> {
    const requested = { ...options, begins: isFirst(send) };
    return this.call('SendMessage', agent, requested, (call) => {
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
    return tasksWithMessage(messageId, (page) => this.listPage(agent, contextId, page, options));
  }

  /** One page of ListTasks; unlike {@link findTasksByMessage} it rejects where the agent has none. */
  async listPage(
    agent: Agent,
    contextId: string,
    pageToken: string,
    options: AgentCallOptions,
  ): Promise<ListTasksResponse> {
    const once = { ...options, retain: undefined };
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
      transport.listTasks(listRequest(tenant, contextId, pageToken, historyLength), call.options),
    );
  }

  private async call<T>(
    method: AgentMethod,
    shared: Agent,
    options: Requested,
    run: (call: Call) => Promise<T>,
  ): Promise<T> {
    let agent = agentFor(shared, options.caller?.organization);
    options.connection?.wanted();
    const leave = await this.wires.gates[method]?.enter(agent.id, options.signal);
    try {
      const plan = new CallPlan(agent, this.memory, method);
      for (let again: Again | undefined; ;) {
        const endpoint = plan.current;
        const proof = again?.next ?? (await this.prove(agent, endpoint, options));
        const call = await this.begin(method, agent, endpoint, options, proof);
        try {
          const answer = await run(call);
          plan.answered();
          call.span?.end();
          const release = (): void => call.exchange.release();
          if (options.retain === undefined) release();
          else options.retain(release);
          return answer;
        } catch (error) {
          call.exchange.release();
          const failure = failureOf(call, error, agent);
          failCallSpan(call.span, failure);
          again = await this.again(again, failure, proof, agent, endpoint, options);
          if (again?.next !== undefined) {
            agent = again.agent;
            continue;
          }
          const end = plan.failed(failure);
          if (end !== undefined) throw end;
        }
      }
    } finally {
      leave?.();
    }
  }

  private async *events(
    method: AgentMethod,
    shared: Agent,
    options: Requested,
    run: (call: Call) => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    let agent = agentFor(shared, options.caller?.organization);
    const plan = new CallPlan(agent, this.memory, method);
    for (let again: Again | undefined; ;) {
      const endpoint = plan.current;
      const proof = again?.next ?? (await this.prove(agent, endpoint, options));
      const call = await this.begin(method, agent, endpoint, options, proof);
      let answered = false;
      try {
        for await (const event of run(call)) {
          const checked = readEvent(event, call);
          if (call.span !== undefined) noteEvent(call.span, checked);
          if (!answered) plan.answered();
          answered = true;
          yield checked;
        }
        return;
      } catch (error) {
        call.exchange.release();
        const failure = failureOf(call, error, agent);
        failCallSpan(call.span, failure);
        if (!answered) again = await this.again(again, failure, proof, agent, endpoint, options);
        if (!answered && again?.next !== undefined) {
          agent = again.agent;
          continue;
        }
        const end = answered ? failure : plan.failed(failure);
        if (end !== undefined) throw end;
      } finally {
        // It may have been left before its end.
        call.span?.end();
      }
    }
  }

  /** What proves the hub in a call at an interface. Rejects as soon as the call is left. */
  private async prove(
    agent: Agent,
    endpoint: AgentEndpoint,
    options: AgentCallOptions,
  ): Promise<HubProof> {
    const { references, authenticator } = this.wires;
    const found = credentialsFor(agent, endpoint, references);
    const isThere = !(found instanceof Promise);
    const credentials = isThere ? found : await unlessAborted(found, options.signal, endedCall);
    if (agent.authentication === null) return { credentials };
    options.connection?.wanted();
    return { credentials, made: await authenticator.prove(agent, endpoint, options) };
  }

  /** A call for a caller, whom the agent is told where it wants to know. */
  private async begin(
    method: AgentMethod,
    agent: Agent,
    endpoint: AgentEndpoint,
    options: AgentCallOptions,
    { credentials, made }: HubProof,
    files = new FileBytes(() => this.forms.formOf(agent, endpoint, options)),
  ): Promise<Call> {
    const { protocolBinding, protocolVersion: version, tenant, url } = endpoint;
    const { signal, connection, contextId, caller } = options;
    connection?.wanted();
    const { budget, gates, connectors, http, callers, tracing } = this.wires;
    const isSigned = agent.switches.caller === 'signed' && caller !== undefined;
    const issued = isSigned ? await callers.issue(caller, endpoint) : undefined;
    const span = tracing.isOn
      ? beginCallSpan(tracing, method, agent, endpoint, options)
      : undefined;
    return endingIfThrown(span, () => {
      const traceparent = span?.traceparent ?? options.traceparent;
      const headers = headersOf(credentials, endpoint, options, traceparent);
      if (made !== undefined) Object.assign(headers, made.headers);
      if (issued !== undefined) headers[CALLER_HEADER] = issued;
      const onDeviation = (kind: DeviationKind): void => this.deviations.note(agent, kind);
      const { agentId, secrets: own, connectTimeoutMs } = this.targetOf(agent);
      const known = credentials === agent.credentials ? own : [...own, ...secretsIn(credentials)];
      const secrets = made === undefined ? known : [...known, ...made.secrets];
      const { transport, exchange } = connectors.of(protocolBinding).open({
        agentId,
        secrets,
        connectTimeoutMs,
        method,
        url,
        version,
        headers,
        contextId,
        files,
        signal,
        budget,
        http,
        onDeviation,
        isControl: method in gates,
        onSent: () => connection?.given(),
        tls: made?.tls,
        maxAnswerBytes: this.config.tasks.maxSizeBytes,
      });
      const otherForm = (): void => onDeviation('other-form');
      const sent = { signal, serviceParameters: headers };
      return { transport, exchange, tenant, otherForm, span, options: sent };
    });
  }

  /** With what a call is made once more; see {@link provenAgain}. No call is made more than twice for it. */
  private async again(
    before: Again | undefined,
    failure: AgentCallError,
    proof: HubProof,
    agent: Agent,
    endpoint: AgentEndpoint,
    options: Requested,
  ): Promise<Again | undefined> {
    if (before !== undefined) return { agent };
    const { references, newest } = this.wires;
    const proven = provenAgain(failure, proof, agent, {
      endpoint,
      references,
      newest: async () => {
        const found = await newest(agent.id, options);
        return typeof found === 'object' ? agentFor(found, options.caller?.organization) : found;
      },
      prove: (by) => this.prove(by, endpoint, options),
    });
    const { signal } = options;
    return unlessAborted(proven, signal, endedCall).catch((error: unknown) => {
      // That it was refused tells more than that it was left since then.
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  /** How files go to and come from the interface that is called now; null where there is one form only. */
  async filesOf(agent: Agent, options: AgentCallOptions): Promise<FileForm | null> {
    const endpoint = this.memory.now(agent);
    const { protocolVersion, protocolBinding } = endpoint;
    const hasForms = protocolVersion === '0.3' && bindingOf(protocolBinding).hasFileForms;
    return hasForms ? this.forms.formOf(agent, endpoint, options) : null;
  }

  /** Asks the server for a task that does not exist. Files of what it answers all the same stay as they are. */
  private async askForm(
    agent: Agent,
    endpoint: AgentEndpoint,
    signal: AbortSignal,
    caller: AgentCaller | undefined,
  ): Promise<FormAnswer> {
    const files = new FileBytes(() => Promise.resolve('once'));
    const requested = { signal, ...(caller && { caller }) };
    const proof = await this.prove(agent, endpoint, requested);
    const call = await this.begin('GetTask', agent, endpoint, requested, proof, files);
    const { exchange, transport, options } = call;
    try {
      await transport.getTask({ tenant: endpoint.tenant, id: randomUUID() }, options);
      return 'once';
    } catch (error) {
      const failure = exchange.failure(error);
      const { kind } = failure;
      if (kind === 'unreachable') return kind;
      if (kind === 'interrupted') return 'silent';
      return exchange.fileForm(failure);
    } finally {
      call.span?.end();
      exchange.release();
    }
  }

  private targetOf(agent: Agent): Target {
    let target = this.targets.get(agent);
    if (target === undefined) {
      target = {
        agentId: agent.id,
        secrets: secretsIn(agent.credentials),
        connectTimeoutMs: budgetsOf(agent, this.config.agents).connectMs,
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
    @Inject(AgentDeviations) deviations: Pick<AgentDeviations, 'note'>,
    @Inject(CallerTokens) callers: Pick<CallerTokens, 'issue'>,
    @Inject(SecretReferences) references: Wires['references'],
    @Inject(AgentAuthenticator) authenticator: Pick<AgentAuthenticator, 'prove'>,
    @Inject(AgentRegistry) agents: Pick<AgentRegistry, 'newest' | 'closedTo'>,
    @Inject(Tracing) tracing: Pick<Tracing, 'isOn' | 'begin'>,
  ) {
    const looks = new CallGate(LOOKS_AT_ONCE);
    const wires = {
      http: egress,
      connectors: connectAll(egress, config.tasks.maxSizeBytes),
      callers,
      references,
      authenticator,
      newest: async (id: string, { begins, caller }: Requested) => {
        const found = await agents.newest(id);
        if (begins !== true || caller === undefined) return found;
        const isOpen =
          found !== undefined && agents.closedTo(caller.organization, found) === undefined;
        return isOpen ? found : 'closed';
      },
      tracing,
      budget: new ReadBudget(readRules(config.agents.readBudgetBytes)),
      gates: { GetTask: looks, ListTasks: looks, CancelTask: new CallGate(CANCELS_AT_ONCE) },
    };
    super(wires, config, memory, deviations);
  }

  /** A client for one probe, over the same connections and within the same limits. */
  probing({ memory, deviations, egress, noteSecrets }: ProbeDeps): ProbingClient {
    const prove: AgentAuthenticator['prove'] = async (...requested) => {
      const proof = await this.wires.authenticator.prove(...requested);
      noteSecrets(proof.secrets);
      return proof;
    };
    // What is checked is what was given, not what is registered.
    const newest = (): Promise<undefined> => Promise.resolve(undefined);
    const wires = { ...this.wires, http: egress, authenticator: { prove }, newest };
    return new WiredAgentClient(wires, this.config, memory, deviations);
  }

  /** The runner has ended its calls by now; what HTTP keeps open is the egress's to close. */
  onApplicationShutdown(): void {
    this.wires.connectors.close();
  }
}

function isFirst({ message }: AgentSend): boolean {
  return message.taskId === '';
}

function failureOf({ exchange }: Call, error: unknown, agent: Agent): AgentCallError {
  return explained(blamed(exchange.failure(error), agent), agent);
}

/** What a server says of credentials that it does not take. */
const REFUSALS_OF_CREDENTIALS: ReadonlySet<number | undefined> = new Set([401, 403, 429]);

/**
 * That the credentials of one organization are refused, or no connection is made with its certificate, says nothing of the agent,
 * which others call with theirs: it keeps nobody else from it.
 */
function blamed(failure: AgentCallError, { calledFor, authentication }: Agent): AgentCallError {
  if (calledFor === undefined) return failure;
  const { kind, message, detail, cause } = failure;
  const isOwnFault =
    kind === 'unreachable'
      ? hasOwnTls(authentication)
      : kind === 'rejected' && REFUSALS_OF_CREDENTIALS.has(detail.httpStatus);
  if (!isOwnFault) return failure;
  return new AgentCallError(kind, message, { ...detail, agentUnasked: true, cause });
}

function hasOwnTls(authentication: Agent['authentication']): boolean {
  if (authentication === null || authentication instanceof Locked) return false;
  return (authentication.certificate ?? authentication.ca) !== undefined;
}

/** Failures of ListTasks that mean "cannot say" rather than "try again". */
const SILENT: ReadonlySet<AgentCallError['kind']> = new Set(['rejected', 'invalid', 'not-found']);
