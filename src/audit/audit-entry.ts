import type { ReachedLimit } from '../common/hub-error.js';

/**
 * What became of it. `attempted`: it is about to be done; an entry with its result follows, unless the process was
 * ended between the two. `refused`: the caller was not let in, may not do it, or has reached a limit.
 */
export const AUDIT_OUTCOMES = ['attempted', 'succeeded', 'failed', 'refused'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** One agent's part in a task. */
export interface AuditedDelegation {
  /** Null where `audit.redact.resourceIds` names agents. */
  readonly agent: string | null;
  readonly skill: string | null;
  readonly state: string;
  /** Why it has not completed, as a code. */
  readonly reason?: string;
  /** Messages sent to the agent for it. */
  readonly calls: number;
  readonly begunAt: string | null;
  readonly changedAt: string;
}

/**
 * The members that details may have, and no others: what is not listed here never gets into the audit log. None
 * of them holds a name, a credential, a body or any part of a message.
 */
export const DETAIL_MEMBERS = [
  'attempt',
  'made',
  'by',
  'reason',
  'status',
  'cause',
  'claimedIssuer',
  'forced',
  'scope',
  'limit',
  'route',
  'operation',
  'address',
  'count',
  'firstAt',
  'before',
  'state',
  'traceId',
  'createdAt',
  'endedAt',
  'delegations',
  'moreDelegations',
] as const;

/** Facts of one entry; see {@link DETAIL_MEMBERS}. */
export interface AuditDetails {
  /** The entry of the attempt of which this is the result, by its id. */
  readonly attempt?: string;
  /** What was made of the resource, by its id: the key that follows a rotated one. */
  readonly made?: string;
  /** What did it, where it was no caller: `configuration`, `command line`, `first start`, `retention`. */
  readonly by?: string;
  /** Why it failed or was refused, as the error says; with the HTTP status. Of a task: why it has not completed. */
  readonly reason?: string;
  readonly status?: number;
  /** Why a credential was refused. */
  readonly cause?: string;
  /** The accepted issuer that a token names, without a key of it being known to have signed the token. */
  readonly claimedIssuer?: string;
  /** What the hub had found against the change was passed over (`force`). */
  readonly forced?: true;
  /** The scope that the caller has not. */
  readonly scope?: string;
  /** The limit that refused it. */
  readonly limit?: ReachedLimit;
  /** Where the call went: method and pattern of the route, or the method of gRPC. */
  readonly route?: string;
  /** The operation of A2A. */
  readonly operation?: string;
  /** Where the call came from; of IPv6 the network of 64 bits. */
  readonly address?: string;
  /** How many of the same, since `firstAt`, this entry stands for. */
  readonly count?: number;
  readonly firstAt?: string;
  /** What was deleted is older than this. */
  readonly before?: string;
  /** Of a task: how and when it ended, and its agents. */
  readonly state?: string;
  readonly traceId?: string;
  readonly createdAt?: string;
  readonly endedAt?: string;
  readonly delegations?: readonly AuditedDelegation[];
  /** Delegations that found no room in the entry. */
  readonly moreDelegations?: number;
}

/** Whoever has done something, by ids alone; all null for the hub itself. */
export interface AuditActor {
  /** Who called: of a call that another hub makes for somebody, that hub. */
  readonly principal: string | null;
  readonly organization: string | null;
  /** The principal in whose name somebody else called: another hub, or the actors of its token. Null when it called itself. */
  readonly onBehalfOf: string | null;
  /** Who signed the token it came with. */
  readonly issuer: string | null;
  /** The id of the key, or of the sign-in, it came with; null for the configured admin key. */
  readonly credential: string | null;
}

/** Something that was done or refused, as it is told to the audit log. */
export interface AuditEntry {
  /** What, by its resource and operation: `agents.register`, `keys.revoke`, `tasks.end`. */
  readonly action: string;
  readonly outcome: AuditOutcome;
  readonly actor: AuditActor;
  readonly resource: { readonly type: string; readonly id: string | null } | null;
  /** The `x-request-id` of the call. */
  readonly requestId: string | null;
  /** The policy that decided. */
  readonly policy: string | null;
  readonly details: AuditDetails;
}

/** The hub itself, or a caller nothing is known of. */
export const NO_CALLER: AuditActor = {
  principal: null,
  organization: null,
  onBehalfOf: null,
  issuer: null,
  credential: null,
};

/** Something the hub does by itself. */
export function ownEntry(
  action: string,
  outcome: AuditOutcome,
  resource: AuditEntry['resource'],
  details: AuditDetails,
): AuditEntry {
  return { action, outcome, actor: NO_CALLER, resource, requestId: null, policy: null, details };
}
