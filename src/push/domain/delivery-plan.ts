import type { StreamResponse, TaskState } from '../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';

/** What a lane must remember of the log it has passed. Kept small; derivable from the log. */
export interface LaneCursor {
  /** The task's state after the last entry passed; null before the first. */
  readonly state: TaskState | null;
  /** Artifacts that have begun and whose last chunk has not come, in order. */
  readonly unfinished: readonly string[];
}

export const LOG_START: LaneCursor = { state: null, unfinished: [] };

/** One log entry, decoded. */
export interface LogEntry {
  readonly kind: 'task' | 'status' | 'artifact' | 'message' | 'reply';
  readonly payload: NonNullable<StreamResponse['payload']>;
}

/** `event`: the entry as it is. `artifact`: that artifact whole, as of the entry. */
export type PlannedDelivery =
  | { readonly kind: 'event' }
  | { readonly kind: 'artifact'; readonly artifactId: string };

export interface Plan {
  readonly cursor: LaneCursor;
  readonly deliveries: readonly PlannedDelivery[];
}

/**
 * What a webhook is told at this log entry (webhooks.md, "what is sent"): the task when it begins,
 * status changes (the state differs, or it is a question), and artifacts once, whole, when complete:
 * at their last chunk, or just before the status that ends the task.
 */
export function planEntry(cursor: LaneCursor, entry: LogEntry): Plan {
  const { payload } = entry;
  if (entry.kind === 'task' && payload.$case === 'task') {
    const state = payload.value.status?.state ?? null;
    return { cursor: { ...cursor, state }, deliveries: [{ kind: 'event' }] };
  }
  if (entry.kind === 'status' && payload.$case === 'statusUpdate') {
    return planStatus(cursor, payload.value.status?.state ?? null);
  }
  if (entry.kind === 'artifact' && payload.$case === 'artifactUpdate') {
    const { artifact, append, lastChunk } = payload.value;
    return planArtifact(cursor, artifact?.artifactId ?? '', append, lastChunk);
  }
  return { cursor, deliveries: [] };
}

function planStatus(cursor: LaneCursor, state: TaskState | null): Plan {
  if (state === null) return { cursor, deliveries: [] };
  const told = state === cursor.state && !isInterrupted(state);
  if (!isTerminal(state)) {
    return { cursor: { ...cursor, state }, deliveries: told ? [] : [{ kind: 'event' }] };
  }
  const rest = cursor.unfinished.map((artifactId) => ({ kind: 'artifact' as const, artifactId }));
  return { cursor: { state, unfinished: [] }, deliveries: [...rest, { kind: 'event' }] };
}

function planArtifact(cursor: LaneCursor, id: string, append: boolean, last: boolean): Plan {
  const others = cursor.unfinished.filter((other) => other !== id);
  if (last) {
    const whole = append ? { kind: 'artifact' as const, artifactId: id } : { kind: 'event' as const };
    return { cursor: { ...cursor, unfinished: others }, deliveries: [whole] };
  }
  const unfinished = cursor.unfinished.includes(id) ? cursor.unfinished : [...others, id];
  return { cursor: { ...cursor, unfinished }, deliveries: [] };
}
