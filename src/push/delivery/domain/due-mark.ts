import type { TaskState } from '../../../protocol/a2a.js';
import { isInterrupted, isTerminal } from '../../../protocol/task-state.js';
import { isShown } from '../../../tasks/index.js';
import type { LogEntry } from './delivery-plan.js';

/**
 * Which streams have to look at new entries: `always` all of the task's; a state: those that know the task
 * in another one; `every`: only those of webhooks that asked for every event; null: none.
 */
export type DueWhen = 'always' | TaskState | 'every' | null;

/**
 * Whether webhooks have to look at these entries of one task. It may say yes too often, never no too
 * often.
 * `everyEvent`: some webhook of the task has asked for every event.
 */
export function dueWhen(entries: readonly LogEntry[], everyEvent = false): DueWhen {
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
