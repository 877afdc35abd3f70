import type { StreamResponse, TaskState } from '../../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../../protocol/routing-extension.js';
import { isInterrupted, isTerminal } from '../../../protocol/task-state.js';
import type { EventKind } from '../../../tasks/index.js';
import type { EventChoice } from '../../registration/webhook.js';

/** An artifact that has begun and whose last chunk has not come. */
interface UnfinishedArtifact {
  readonly id: string;
  /** Whose it is; null on a task of one agent. */
  readonly delegationId: string | null;
}

/**
 * What a lane must remember of the log it has passed; derivable from the log. It grows with the artifacts
 * that are unfinished at once, by their ids alone.
 */
export interface LaneCursor {
  /** The task's state after the last entry passed; null before the first. */
  readonly state: TaskState | null;
  /** In order of their beginning. */
  readonly unfinished: readonly UnfinishedArtifact[];
  /** How many artifacts the next entry has been told of already ({@link toldArtifacts}). */
  readonly told?: number;
}

export const LOG_START: LaneCursor = { state: null, unfinished: [] };

/** One log entry, decoded. */
export interface LogEntry {
  readonly kind: EventKind;
  readonly payload: NonNullable<StreamResponse['payload']>;
}

/** `event`: the entry as it is. `artifact`: that artifact whole, as of the entry. */
export type PlannedDelivery =
  { readonly kind: 'event' } | { readonly kind: 'artifact'; readonly artifactId: string };

export interface Plan {
  readonly cursor: LaneCursor;
  readonly deliveries: readonly PlannedDelivery[];
}

/** What the hub says of the delegation an entry comes from, under its extension's URI. */
interface Origin {
  readonly delegationId?: unknown;
  readonly state?: unknown;
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** The entries that streams show too; a client's own messages are not among them. */
const SHOWN: ReadonlySet<EventKind> = new Set<EventKind>(['task', 'status', 'artifact']);

/** Whether an entry of this kind is told to webhooks that asked for every event. */
export function isShown(kind: EventKind): boolean {
  return SHOWN.has(kind);
}

/**
 * What a webhook is told at this log entry (webhooks.md, "what is sent"). `changes`: the task when it
 * begins, status changes (the state differs, or it is a question), and artifacts once, whole, when
 * complete: at their last chunk, or where the delegation or the task they belong to ends (before that
 * status). `all`: each entry that streams show, as it is. The cursor is the same for both, so that a
 * webhook may change its mind.
 */
export function planEntry(
  cursor: LaneCursor,
  entry: LogEntry,
  events: EventChoice = 'changes',
): Plan {
  const plan = planChange(cursor, entry);
  if (events === 'changes') return plan;
  return { ...plan, deliveries: isShown(entry.kind) ? [{ kind: 'event' }] : [] };
}

function planChange(cursor: LaneCursor, entry: LogEntry): Plan {
  const { payload } = entry;
  if (entry.kind === 'task' && payload.$case === 'task') {
    const state = payload.value.status?.state ?? null;
    return { cursor: { ...cursor, state }, deliveries: [{ kind: 'event' }] };
  }
  if (entry.kind === 'status' && payload.$case === 'statusUpdate') {
    const { status } = payload.value;
    const state = status?.state ?? cursor.state;
    return planStatus(cursor, state, endedDelegation(status?.message?.metadata));
  }
  if (entry.kind === 'artifact' && payload.$case === 'artifactUpdate') {
    const { artifact, append, lastChunk } = payload.value;
    if (!artifact) return { cursor, deliveries: [] };
    const delegationId = originIn(artifact.metadata)?.delegationId;
    const begun = {
      id: artifact.artifactId,
      delegationId: typeof delegationId === 'string' ? delegationId : null,
    };
    return planArtifact(cursor, begun, append, lastChunk);
  }
  return { cursor, deliveries: [] };
}

/**
 * The cursor before an entry of whose plan these artifacts have been told: planned again, it brings
 * the rest.
 */
export function toldArtifacts(cursor: LaneCursor, artifactIds: readonly string[]): LaneCursor {
  const ids = new Set(artifactIds);
  return {
    ...cursor,
    unfinished: cursor.unfinished.filter(({ id }) => !ids.has(id)),
    told: (cursor.told ?? 0) + artifactIds.length,
  };
}

/** The delegation that a status of the hub says has ended, on a task of several agents. */
export function endedDelegation(metadata: Record<string, unknown> | undefined): string | null {
  const origin = originIn(metadata);
  if (typeof origin?.delegationId !== 'string' || !ENDED.has(origin.state)) return null;
  return origin.delegationId;
}

function planStatus(cursor: LaneCursor, state: TaskState | null, ended: string | null): Plan {
  if (state === null) return { cursor, deliveries: [] };
  const terminal = isTerminal(state);
  const completes = (each: UnfinishedArtifact): boolean =>
    terminal || (ended !== null && each.delegationId === ended);
  const changed = state !== cursor.state || isInterrupted(state);
  const artifacts = cursor.unfinished
    .filter(completes)
    .map(({ id }) => ({ kind: 'artifact' as const, artifactId: id }));
  return {
    cursor: { state, unfinished: cursor.unfinished.filter((each) => !completes(each)) },
    deliveries: changed ? [...artifacts, { kind: 'event' }] : artifacts,
  };
}

function planArtifact(
  cursor: LaneCursor,
  begun: UnfinishedArtifact,
  append: boolean,
  last: boolean,
): Plan {
  if (!last) {
    const known = cursor.unfinished.some(({ id }) => id === begun.id);
    const unfinished = known ? cursor.unfinished : [...cursor.unfinished, begun];
    return { cursor: { ...cursor, unfinished }, deliveries: [] };
  }
  const unfinished = cursor.unfinished.filter(({ id }) => id !== begun.id);
  const delivery: PlannedDelivery = append
    ? { kind: 'artifact', artifactId: begun.id }
    : { kind: 'event' };
  return { cursor: { ...cursor, unfinished }, deliveries: [delivery] };
}

function originIn(metadata: Record<string, unknown> | undefined): Origin | undefined {
  const origin = metadata?.[ROUTING_EXTENSION_URI];
  return typeof origin === 'object' && origin !== null ? origin : undefined;
}
