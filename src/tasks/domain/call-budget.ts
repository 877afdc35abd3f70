import type { Delegation, TaskRecord } from '../task.js';

/**
 * How many more messages may be sent to agents for this task: its limit less those sent or about to be
 * (from their claim on) and those promised (queued delegations, and messages of the client that wait
 * their turn).
 */
export function callsLeft(
  { route }: Pick<TaskRecord, 'route'>,
  delegations: readonly Delegation[],
): number {
  if (route.maxCalls === undefined) return Infinity;
  const spent = delegations.reduce((sum, each) => sum + callsOf(each), 0);
  return route.maxCalls - spent;
}

/** Why a message is not sent any more. */
export function budgetSpent({ route }: Pick<TaskRecord, 'route'>): string {
  return `The calls to agents that the task may make (${route.maxCalls ?? 0}) are used up.`;
}

function callsOf({ calls, state, progress }: Delegation): number {
  return calls + (state === 'queued' ? 1 : 0) + (progress.pending?.length ?? 0);
}
