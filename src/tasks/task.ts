import type { CallerChain } from '../auth/index.js';
import type { AppliedLimit, ReportedUsage } from '../limits/index.js';
import type { Artifact, StreamResponse, Task, TaskState } from '../protocol/a2a.js';
import type { Plan, Route } from '../routing/index.js';

/**
 * The kinds of log entry. `task`, `status` and `artifact` are what streams and webhooks show.
 * `message` (a client's message) and `reply` (an agent's direct Message, shown to its sender only)
 * are in the log but never in streams or webhooks. So is `held`: an artifact of a delegation whose
 * artifacts do not count yet; when they do, they come again as `artifact`.
 */
export const EVENT_KINDS = ['task', 'status', 'artifact', 'message', 'reply', 'held'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** One entry of a task's log. */
export interface TaskEvent {
  readonly taskId: string;
  /** 1, 2, 3 … per task, without gaps. */
  readonly seq: number;
  readonly kind: EventKind;
  readonly at: Date;
  /**
   * The StreamResponse as 1.0 wire JSON, serialised once: stored, streamed and pushed as it is. That
   * of a client's further message, which is never shown, has its {@link SentWith} beside it.
   */
  readonly body: string;
  /** The body in pieces (`textsInTurns`), while it is being appended and is long: to look through it would be one long stop. */
  readonly pieces?: readonly string[] | undefined;
  /** The values in it (`countValues`), where they were counted while it was written. */
  readonly values?: number | undefined;
  readonly header: EventHeader;
}

/** An entry of a task's log without its text. */
export type LogHeader = Pick<TaskEvent, 'seq' | 'kind' | 'header'>;

/** The state of a delegation. The last five are ends. */
export type DelegationState =
  /** Of a later step of the plan: its turn has not come. */
  | 'planned'
  /** Waits for a runner. */
  | 'queued'
  /** A runner has claimed it; the first byte may be on its way. */
  | 'sending'
  /** The agent has accepted the message and works on it. */
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  /** Its step was not needed, or could not begin any more: no agent was asked. */
  | 'skipped';

/** The states in which a delegation waits for the client. */
export type WaitState = Extract<DelegationState, 'input-required' | 'auth-required'>;

/**
 * Why a delegation has not completed, for programs: what the audit log tells of it. docs/audit.md says what each means.
 * Never anything that an agent or a client has written.
 */
export const END_CODES = [
  'AGENT_FAILED',
  'AGENT_REJECTED',
  'AGENT_CANCELED',
  'AGENT_UNREACHABLE',
  'AGENT_REFUSED',
  'AGENT_BUSY',
  'AGENT_TIMEOUT',
  'AGENT_LOST_TASK',
  'INVALID_AGENT_RESPONSE',
  'RESPONSE_TOO_LARGE',
  'OUTCOME_UNKNOWN',
  'CREDENTIALS_MISSING',
  'CREDENTIALS_REFUSED',
  'CONSENT_MISSING',
  'AGENT_DELETED',
  'AGENT_DISABLED',
  'AGENT_KILLED',
  'PERMISSION_DENIED',
  'EXTENSION_SUPPORT_REQUIRED',
  'MAX_CALLS_REACHED',
  'DEADLINE_EXCEEDED',
  'CLIENT_TIMEOUT',
  'CANCELED_BY_CLIENT',
  'CANCELED_BY_OPERATOR',
  'OWNER_DELETED',
  'TASK_TOO_LARGE',
  'INTERNAL',
  'STEP_FAILED',
  'STEP_SKIPPED',
  'NOT_NEEDED',
] as const;
export type EndCode = (typeof END_CODES)[number];

/** What a delegation has given so far: enough to continue and to reconcile after a cut. */
export interface DelegationProgress {
  /** In order of first sight. */
  readonly artifacts: readonly GivenArtifact[];
  /** Hash of the last status shown, so that a repeated one is not shown twice. */
  readonly lastStatus?: string;
  /** Client messages (their seqs) that came before the agent had answered the one before them. */
  readonly pending?: readonly number[];
  /** How often the client message of this seq has been sent again while it was unknown whether it had arrived. */
  readonly resent?: { readonly seq: number; readonly times: number };
  /**
   * How often the agent has been asked what became of the client message of this seq since it was sent
   * again for the `resent`th time, the time under way included.
   */
  readonly statusQueries?: {
    readonly seq: number;
    readonly resent: number;
    readonly times: number;
  };
  /**
   * Tasks that the agent has abandoned for another one of the same delegation, and that have not been
   * canceled with it yet: they are not followed.
   */
  readonly abandoned?: readonly string[];
  /**
   * The agent worked while the client's message was taken to it, and may have sent events that were not heard: set
   * until its whole task has been taken.
   */
  readonly mayHaveMissed?: true;
  /** `auth-required` because its message cannot be sent without this, rather than because its agent says so. */
  readonly awaits?: Authorization;
  /** When what has happened. */
  readonly times?: DelegationTimes;
  /** The agents that were to have it before the present one, oldest first; none took the message. */
  readonly attempts?: readonly Attempt[];
  /** The last call to an agent that failed and changed what becomes of the delegation. */
  readonly trouble?: AgentTrouble;
  /** What its agent has reported of what has a price: the last value of each key. */
  readonly usage?: ReportedUsage;
  /** Why it has ended without completing. */
  readonly endCode?: EndCode;
}

/** What a message cannot be sent without: a fresh access token of the task's owner, or its consent. */
export type Authorization = 'caller-token' | ConsentWait;

/** Where the task's owner consents to calls of the agent in its name. */
export interface ConsentWait {
  readonly type: 'consent';
  /** At this hub; whoever knows it can be asked. */
  readonly url: string;
  /** ISO 8601: until then it may be opened. */
  readonly expiresAt: string;
}

/** What exactly was wrong with a call to an agent, for the hub's operators alone. */
export interface AgentTrouble {
  readonly agentId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** As `AgentCallError` tells them apart. */
  readonly kind: string;
  readonly code?: number;
  readonly httpStatus?: number;
  /** As the agent or the network put it: one line, cut short, without what looks like credentials. */
  readonly text: string;
}

/** An artifact that an agent has given. */
export interface GivenArtifact {
  /** The agent's id of it. */
  readonly theirs: string;
  /** The hub's id of it, unique in the task. */
  readonly id: string;
  /** Its last chunk has been seen. */
  readonly closed: boolean;
}

/** When what has happened to a delegation, in epoch milliseconds; absent: it has not. */
export interface DelegationTimes {
  /** The claim that its first message was sent for, to whichever agent. */
  readonly sentAt?: number;
  /** Its process was gone while the message was on its way, and another one, or the same started again, took it over. */
  readonly takenOverAt?: number;
  /** The message was sent again, as it was not known whether it had arrived. */
  readonly resentAt?: number;
  /** An agent has taken the message, or has answered it. */
  readonly answeredAt?: number;
  readonly endedAt?: number;
  readonly waits?: ClientWaits;
}

/** How a delegation has waited for the client: its input or its authorization. */
export interface ClientWaits {
  /** How often it has. */
  readonly times: number;
  /** In which state it did so last. */
  readonly state: WaitState;
  /** When that began, in epoch milliseconds. */
  readonly since: number;
  /** When it was over; absent: it is waiting. */
  readonly until?: number;
  /** How long all those took that are over, in milliseconds. */
  readonly ms: number;
}

/** An agent that did not take the message, or was passed over, so that the next one was asked. */
export interface Attempt {
  readonly agentId: string;
  readonly agentName: string;
  readonly skillId?: string;
  /** When it was claimed to be sent, in epoch milliseconds; absent: the message was not sent to it. */
  readonly calledAt?: number;
  /** Epoch milliseconds. */
  readonly endedAt: number;
  /** One sentence, for people. */
  readonly why: string;
}

/** One hub task handed to one agent. */
export interface Delegation {
  readonly id: string;
  readonly taskId: string;
  readonly agentId: string;
  /** The agent's name when the delegation began: what remains when the agent is deleted. */
  readonly agentName: string;
  /** When the agent was registered that it is for: another one may get its id. Null: not known yet. */
  readonly agentSince: Date | null;
  /** The organization its task belongs to. */
  readonly organization: string;
  /** The principal its task belongs to. */
  readonly principalId: string;
  readonly skillId: string | null;
  /** Order within the task. */
  readonly position: number;
  /** The step of the route's plan it belongs to, counted from 0. */
  readonly step: number;
  readonly state: DelegationState;
  /** The log entry (a client message) this delegation must send next, or has sent last. */
  readonly messageSeq: number;
  readonly downstreamTaskId: string | null;
  readonly downstreamContextId: string | null;
  /** Messages that were sent for it, to whichever agent; the budget of the task counts them. */
  readonly calls: number;
  /** Strategy `one`: agents that take over, in order, if this one fails before it accepts. */
  readonly fallbacks: readonly { readonly agentId: string; readonly skillId?: string }[];
  readonly progress: DelegationProgress;
  /** Why it ended or why it waits, for people. */
  readonly reason: string | null;
  /**
   * It was ended by the hub, and its agent may still work: its owner, or else the next process to claim it,
   * still has to cancel with the agent.
   */
  readonly cancelPending: boolean;
  /** Raised by every claim; appends made for an older epoch are refused. */
  readonly epoch: number;
  /** The process that has it. */
  readonly owner: string | null;
  readonly leaseUntil: Date | null;
  /** When the delegation fails for lack of time. */
  readonly deadlineAt: Date;
  /** When its step began, so that it was queued for the first time; null before, and when skipped. */
  readonly begunAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The small columns of a task; artifacts and history are rebuilt from the log. */
export interface TaskRecord {
  readonly id: string;
  readonly contextId: string;
  readonly principalId: string;
  readonly organization: string;
  readonly state: TaskState;
  /** When the status last changed; lists are ordered by it. */
  readonly statusAt: Date;
  /** The seq of the newest event. */
  readonly seq: number;
  readonly route: Route;
  /** The steps of the route: a part of it, or what it amounts to. */
  readonly plan: Plan;
  /** A plain Message of the (only) agent may answer the sender as a Message. */
  readonly allowReply: boolean;
  /** Set by CancelTask; the task then ends canceled unless an agent finished first. */
  readonly cancelRequestedAt: Date | null;
  /** Metadata of that CancelTask, for the agents; null without any. */
  readonly cancelMetadata: Readonly<Record<string, unknown>> | null;
  /** When what still runs is canceled; null: only the delegations have deadlines. */
  readonly deadlineAt: Date | null;
  /** The key its client came with; null: without one, or with that of the configuration, or an operator's retry. */
  readonly keyId: string | null;
  /** The sign-in its client came with instead; null with a key. */
  readonly identityId: string | null;
  /** Who vouched for that sign-in. */
  readonly issuer: string | null;
  /** Through whom its client came; null when it came itself. */
  readonly chain: CallerChain | null;
  /** The access token that its client came with is kept for it: an agent of its route is called with it. */
  readonly keepsToken: boolean;
  /** The `x-request-id` of the call that began it; null where that is not known. */
  readonly requestId: string | null;
  readonly traceparent: string | null;
  /** W3C: what others had added to that trace. */
  readonly tracestate: string | null;
  /** `A2A-Extensions` the client asked for, sent on to agents. */
  readonly extensions: readonly string[];
  readonly hops: readonly string[];
  /** Media types the client accepts (`acceptedOutputModes`). */
  readonly acceptedOutputModes: readonly string[];
  /** Metadata of the send request, forwarded to agents. */
  readonly requestMetadata: Readonly<Record<string, unknown>> | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A task with everything needed to decide what happens next. */
export interface TaskAggregate {
  readonly record: TaskRecord;
  /** The whole A2A task as of `record.seq`: status, artifacts, history. */
  readonly task: Task;
  /** Artifacts that do not count yet, under the ids they will have in the task. */
  readonly held: readonly Artifact[];
  readonly delegations: readonly Delegation[];
}

/** What a client sent beside a message, for the agent that gets it. */
export interface SentWith {
  /** Metadata of the request. */
  readonly requestMetadata: Readonly<Record<string, unknown>> | null;
  /** Extension URIs asked for (`A2A-Extensions`). */
  readonly extensions: readonly string[];
  /** Media types the client accepts. */
  readonly acceptedOutputModes: readonly string[];
}

/** What an entry of a log is, noted when it is made: who must act on it need not read its text. */
export interface EventHeader {
  /** The task's state with this entry; null where the entry says none. */
  readonly state: TaskState | null;
  /** On a task of several agents, the delegation that this status says has ended. */
  readonly endedDelegation: string | null;
  /** The artifact that this entry is a chunk of. */
  readonly artifact: ArtifactChunk | null;
}

export interface ArtifactChunk {
  readonly id: string;
  /** On a task of several agents, the delegation it comes from. */
  readonly delegationId: string | null;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** An event to be logged; the store numbers and serialises it. */
export interface NewEvent {
  readonly kind: EventKind;
  readonly payload: NonNullable<StreamResponse['payload']>;
  /** Of a further message; that of the first one is in the task's record. */
  readonly sentWith?: SentWith;
}

/** Changes of one delegation. Everything but the id is optional. */
export type DelegationPatch = { readonly id: string } & Partial<
  Pick<
    Delegation,
    | 'agentId'
    | 'agentName'
    | 'agentSince'
    | 'skillId'
    | 'state'
    | 'messageSeq'
    | 'calls'
    | 'downstreamTaskId'
    | 'downstreamContextId'
    | 'fallbacks'
    | 'progress'
    | 'reason'
    | 'cancelPending'
    | 'owner'
    | 'leaseUntil'
    | 'deadlineAt'
    | 'begunAt'
  >
>;

/** What a decision about a task adds to it, all in one commit. */
export interface TaskChange {
  readonly events: readonly NewEvent[];
  /** The delegations that the task begins with; in its first update only. */
  readonly begins?: readonly Delegation[];
  readonly delegations?: readonly DelegationPatch[];
  readonly record?: Partial<
    Pick<TaskRecord, 'cancelRequestedAt' | 'cancelMetadata' | 'deadlineAt'>
  >;
}

/** Every log begins with the task (1) and the client's first message (2). */
export const FIRST_MESSAGE_SEQ = 2;

export const NO_CHANGE: TaskChange = { events: [] };

/** What keeps a repeated request from being carried out twice. */
export interface IdempotencyKey {
  readonly key: string;
  /** Hash of the request; the same key with another hash is a conflict. */
  readonly fingerprint: string;
  /** Null: it holds until its task ends. */
  readonly expiresAt: Date | null;
}

/**
 * A delegation as its task begins. One of a later step is `planned`; its deadline then counts from the
 * task's beginning, and is moved to count from the step's.
 */
export type NewDelegation = Pick<
  Delegation,
  | 'id'
  | 'agentId'
  | 'agentName'
  | 'agentSince'
  | 'skillId'
  | 'position'
  | 'step'
  | 'downstreamContextId'
  | 'fallbacks'
  | 'deadlineAt'
> & { readonly state: Extract<DelegationState, 'queued' | 'planned'> };

/** A task that a request begins; see `TaskLog.create`. */
export interface NewTask {
  /** As it is before its first update. */
  readonly record: TaskRecord;
  readonly firstUpdate: TaskChange;
  readonly idempotency: IdempotencyKey | null;
  /** That must not be used up; absent: none. */
  readonly limits?: readonly AppliedLimit[];
}
