import type { CallerChain, SubjectToken } from '../../auth/index.js';
import type { Message, StreamResponse, Task } from '../../protocol/a2a.js';
import type { Agent } from '../agent.js';

/** Where an agent may tell the hub that its task has changed: an address of the hub itself. */
export interface AgentCallback {
  readonly url: string;
  /** Comes back with every call, as the notification token or as a Bearer credential. */
  readonly token: string;
}

/** What the hub sends to an agent: the client's message with the agent's own ids. */
export interface AgentSend {
  readonly message: Message;
  /** Metadata of the request, forwarded unchanged but for the hub's own keys. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** Media types the client accepts; always sent to 0.x agents, empty or not. */
  readonly acceptedOutputModes: readonly string[];
  /** The agent is asked to call back; never what a client registered. */
  readonly callback?: AgentCallback;
}

/**
 * The reason to abort a call with when the agent had its whole time for an answer: that counts against
 * its health. Any other reason is the caller's own choice and says nothing of the agent.
 */
export const AGENT_TOO_LATE = new DOMException('the agent was too late', 'AbortError');

/**
 * A call may wait for a connection, and for its turn among others of its kind: that says nothing of the
 * agent, whose time begins when the call is on its way.
 */
export interface ConnectionWatch {
  /** It waits from now on; said again when it is made at another interface. */
  wanted(): void;
  /** It is on its way. */
  given(): void;
}

/** On whose behalf an agent is called. */
export interface AgentCaller {
  readonly principalId: string;
  readonly organization: string;
  /** Through whom it came; null when it came itself. */
  readonly chain: CallerChain | null;
  /** The access token it came with last, where it is kept for the task; asked for agents that are called with it. */
  readonly token: () => Promise<SubjectToken | undefined>;
  /** The hub's own. */
  readonly taskId: string;
  /** The hub's own. */
  readonly contextId: string;
}

export interface AgentCallOptions {
  readonly signal: AbortSignal;
  /** Told to agents that want to know; absent where the hub asks for itself. */
  readonly caller?: AgentCaller;
  /** Notified of the progress of the call until it is sent. */
  readonly connection?: ConnectionWatch;
  /** The agent's context of the task that is asked for, where it is known: some servers want it beside the id. */
  readonly contextId?: string;
  /** W3C trace context of the hub's task. */
  readonly traceparent?: string;
  /** W3C: what others have added to that trace. */
  readonly tracestate?: string;
  /** Extension URIs the client asked for (`A2A-Extensions`). */
  readonly extensions?: readonly string[];
  /** Hub ids this message has passed (`A2A-Hub-Hops`), this hub's included. */
  readonly hops?: readonly string[];
  /**
   * Given `release`, to be called when the answer is stored or dropped: until then its bytes count against
   * what the hub reads at once. Without it they do until the answer is returned. A stream's events
   * count until the next one is asked for.
   */
  readonly retain?: (release: () => void) => void;
}

/**
 * Talks A2A to agents, in the version and binding of each agent's endpoint, through the egress
 * guard. All results are in the canonical 1.0 model with the agent's own ids. Whatever the agent or the
 * network does, every method rejects with `AgentCallError`; any other error is a fault of the hub
 * itself. An aborted signal rejects with `interrupted`.
 */
export abstract class AgentClient {
  /** Streams the answer to a message. Ends when the agent closes its stream. */
  abstract stream(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): AsyncIterable<StreamResponse>;

  /**
   * Sends without blocking (`returnImmediately`), unless the agent's switches say so; the agent may answer with a
   * Message or a Task.
   */
  abstract send(
    agent: Agent,
    send: AgentSend,
    options: AgentCallOptions,
  ): Promise<{ readonly message: Message } | { readonly task: Task }>;

  /** The task as the agent has it now, with its whole history. */
  abstract getTask(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
  ): Promise<Task>;

  /**
   * Follows a running task. The first event may be the task itself, or the next update. Only an agent of
   * 1.0 is asked: at one that is spoken to in 0.3, whatever its card says, a second subscriber may double
   * what is stored; it rejects with `rejected` then.
   */
  abstract subscribe(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
  ): AsyncIterable<StreamResponse>;

  /**
   * Asks the agent to cancel; the answer is its task then (which may still be working). `metadata` of the
   * request is left out over HTTP+JSON and gRPC of 0.3, which have no place for it.
   */
  abstract cancel(
    agent: Agent,
    downstreamTaskId: string,
    options: AgentCallOptions,
    metadata?: Readonly<Record<string, unknown>>,
  ): Promise<Task>;

  /**
   * The agent's tasks with a client message `messageId` in their history, in this context (in any,
   * when it is empty), asked by ListTasks: whoever they belong to, for message ids are the clients'
   * own and may repeat. Without artifacts. Empty when there are none or the agent cannot say (0.x
   * agents have no ListTasks).
   */
  abstract findTasksByMessage(
    agent: Agent,
    downstreamContextId: string,
    messageId: string,
    options: AgentCallOptions,
  ): Promise<readonly Task[]>;
}
