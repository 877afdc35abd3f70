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
  | { readonly kind: 'event' }
  | { readonly kind: 'artifact'; readonly artifactId: string };

export interface Plan {
  readonly cursor: StreamCursor;
  readonly deliveries: readonly PlannedDelivery[];
}

/** What a webhook asks for. */
interface Requested {
  readonly events?: EventChoice;
  readonly states?: readonly TaskState[];
}

const EVENT: readonly PlannedDelivery[] = [{ kind: 'event' }];

/**
 * What is delivered at this log entry (webhooks.md, "what is sent"). `changes`: the task when it
 * begins, status changes (the state differs, or it is a question), and artifacts once, whole, when
 * complete: at their last chunk, or where the delegation or the task they belong to ends (before that
 * status). `all`: each entry that streams show, as it is. With `states` only the entry itself, when it brings
 * the task into one of them. The cursor is the same for all, so that a webhook may change its mind.
 */
export function planEntry(
  cursor: StreamCursor,
  entry: LogEntry,
  { events = 'changes', states }: Requested = {},
): Plan {
  const plan = planChange(cursor, entry);
  const isEvery = events !== 'changes';
  const all = isEvery ? (isShown(entry) ? EVENT : []) : plan.deliveries;
  if (states === undefined) return { ...plan, deliveries: all };
  const { state } = entry.header;
  const isRequested = state !== null && states.includes(state);
  return {
    cursor: plan.cursor,
    deliveries: isRequested ? all.filter(({ kind }) => kind === 'event') : [],
  };
}

function planChange(cursor: StreamCursor, { kind, header }: LogEntry): Plan {
  const { state, endedDelegation, artifact } = header;
  if (kind === 'task') return { cursor: { ...cursor, state }, deliveries: EVENT };
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

/**
 * Which streams have to look at new entries: `always` all of the task's; a state: those that know the task
 * in another one, or whose webhook asked for every event; `every`: only the latter.
 */
export type DueWhen = 'always' | TaskState | 'every';

/**
 * Which streams have to look at these entries of one task; null: none. It may say yes too often, never no too
 * often. `everyEvent`: some webhook of the task has asked for every event.
 */
export function dueWhen(entries: readonly LogEntry[], everyEvent = false): DueWhen | null {
  const when = changed(entries);
  if (when !== null || !everyEvent) return when;
  return entries.some(isShown) ? 'every' : null;
}

function changed(entries: readonly LogEntry[]): 'always' | TaskState | null {
  let when: TaskState | null = null;
  for (const { kind, header } of entries) {
    if (kind === 'task') return 'always';
    if (kind === 'artifact' && header.artifact?.lastChunk) return 'always';
    if (kind !== 'status') continue;
    const { state, endedDelegation } = header;
    if (state === null || endedDelegation !== null) return 'always';
    if (isTerminal(state) || isInterrupted(state)) return 'always';
    if (when !== null && when !== state) return 'always';
    when = state;
  }
  return when;
}
