import type { TaskState } from '../../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../../protocol/task-state.js';
import {
  isShown,
  type ArtifactChunk,
  type EventHeader,
  type EventKind,
} from '../../../tasks/index.js';
import type { EventChoice } from '../../registration/webhook.js';

/** An artifact that has begun and whose last chunk has not come. */
interface UnfinishedArtifact {
  readonly id: string;
  /** Whose it is; null on a task of one agent. */
  readonly delegationId: string | null;
}

/**
 * What a stream must remember of the log it has passed; derivable from the log. It grows with the artifacts
 * that are unfinished at once, by their ids alone.
 */
export interface StreamCursor {
  /** The task's state after the last entry passed; null before the first. */
  readonly state: TaskState | null;
  /** In order of their beginning. */
  readonly unfinished: readonly UnfinishedArtifact[];
  /** How many artifacts of the next entry have been delivered already ({@link deliveredArtifacts}). */
  readonly delivered?: number;
}

export const LOG_START: StreamCursor = { state: null, unfinished: [] };

/** What is planned by: what a log entry is, not what it says. */
export interface LogEntry {
  readonly kind: EventKind;
  readonly header: EventHeader;
}

/** `event`: the entry as it is. `artifact`: that artifact whole, as of the entry. */
export type PlannedDelivery =
  { readonly kind: 'event' } | { readonly kind: 'artifact'; readonly artifactId: string };

export interface Plan {
  readonly cursor: StreamCursor;
  readonly deliveries: readonly PlannedDelivery[];
}

/**
 * What is delivered at this log entry (webhooks.md, "what is sent"). `changes`: the task when it
 * begins, status changes (the state differs, or it is a question), and artifacts once, whole, when
 * complete: at their last chunk, or where the delegation or the task they belong to ends (before that
 * status). `all`: each entry that streams show, as it is. The cursor is the same for both, so that a
 * webhook may change its mind.
 */
export function planEntry(
  cursor: StreamCursor,
  entry: LogEntry,
  events: EventChoice = 'changes',
): Plan {
  const plan = planChange(cursor, entry);
  if (events === 'changes') return plan;
  return { ...plan, deliveries: isShown(entry) ? [{ kind: 'event' }] : [] };
}

function planChange(cursor: StreamCursor, { kind, header }: LogEntry): Plan {
  const { state, endedDelegation, artifact } = header;
  if (kind === 'task') return { cursor: { ...cursor, state }, deliveries: [{ kind: 'event' }] };
  if (kind === 'status') return planStatus(cursor, state ?? cursor.state, endedDelegation);
  if (kind === 'artifact' && artifact !== null) return planArtifact(cursor, artifact);
  return { cursor, deliveries: [] };
}

/**
 * The cursor before an entry of whose plan these artifacts have been delivered: planned again, it brings
 * the rest.
 */
export function deliveredArtifacts(
  cursor: StreamCursor,
  artifactIds: readonly string[],
): StreamCursor {
  const ids = new Set(artifactIds);
  return {
    ...cursor,
    unfinished: cursor.unfinished.filter(({ id }) => !ids.has(id)),
    delivered: (cursor.delivered ?? 0) + artifactIds.length,
  };
}

function planStatus(cursor: StreamCursor, state: TaskState | null, ended: string | null): Plan {
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

function planArtifact(cursor: StreamCursor, chunk: ArtifactChunk): Plan {
  const { id, delegationId, append, lastChunk } = chunk;
  const others = cursor.unfinished.filter((each) => each.id !== id);
  if (!lastChunk) {
    const isKnown = others.length < cursor.unfinished.length;
    const unfinished = isKnown ? cursor.unfinished : [...others, { id, delegationId }];
    return { cursor: { ...cursor, unfinished }, deliveries: [] };
  }
  const delivery: PlannedDelivery = append
    ? { kind: 'artifact', artifactId: id }
    : { kind: 'event' };
  return { cursor: { ...cursor, unfinished: others }, deliveries: [delivery] };
}
