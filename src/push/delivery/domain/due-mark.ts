import { TaskState } from '../../../protocol/a2a.js';
import { ROUTING_EXTENSION_URI } from '../../../protocol/routing-extension.js';
import { isInterrupted, isTerminal } from '../../../protocol/task-state.js';
import type { EventKind } from '../../../tasks/index.js';
import { endedDelegation, isShown } from './delivery-plan.js';

/** A new log entry, not decoded. */
export interface NewEntry {
  readonly kind: EventKind;
  /** 1.0 wire JSON. */
  readonly body: string;
}

/**
 * Which lanes have to look at new entries: `always` all of the task's; a state: those that know the task
 * in another one; `every`: only those of webhooks that asked for every event; null: none.
 */
export type DueWhen = 'always' | TaskState | 'every' | null;

/**
 * Whether webhooks have to look at these entries of one task. It may say yes too often, never no too
 * often; a chunk in the middle of an artifact costs a search in its text and nothing else.
 * `everyEvent`: some webhook of the task has asked for every event.
 */
export function dueWhen(entries: readonly NewEntry[], everyEvent = false): DueWhen {
  const when = changed(entries);
  if (when !== null || !everyEvent) return when;
  return entries.some(({ kind }) => isShown(kind)) ? 'every' : null;
}

function changed(entries: readonly NewEntry[]): 'always' | TaskState | null {
  let when: TaskState | null = null;
  for (const entry of entries) {
    if (entry.kind === 'task') return 'always';
    if (entry.kind === 'artifact' && entry.body.includes('"lastChunk":true')) return 'always';
    if (entry.kind !== 'status') continue;
    const state = stateOf(entry.body);
    if (state === 'always' || (when !== null && when !== state)) return 'always';
    when = state;
  }
  return when;
}

interface WireStatus {
  readonly statusUpdate?: {
    readonly status?: {
      readonly state?: keyof typeof TaskState;
      readonly message?: { readonly metadata?: Record<string, unknown> };
    };
  };
}

function stateOf(body: string): 'always' | TaskState {
  const status = (JSON.parse(body) as WireStatus).statusUpdate?.status;
  const state = status?.state === undefined ? undefined : TaskState[status.state];
  if (state === undefined || isTerminal(state) || isInterrupted(state)) return 'always';
  const several = body.includes(ROUTING_EXTENSION_URI);
  return several && endedDelegation(status?.message?.metadata) !== null ? 'always' : state;
}
