import { TaskState } from '../../../protocol/a2a.js';
import type { LogEntry, Plan } from './delivery-plan.js';

const PREFIX = 'TASK_STATE_';

/** The states a subscription can ask for, as the admin API writes them: `working`, `input-required`, … */
export const STATES_BY_NAME: ReadonlyMap<string, TaskState> = new Map(
  Object.keys(TaskState)
    .filter((key) => key.startsWith(PREFIX) && key !== `${PREFIX}UNSPECIFIED`)
    .map((key) => [
      key.slice(PREFIX.length).toLowerCase().replaceAll('_', '-'),
      TaskState[key as keyof typeof TaskState],
    ]),
);

const NAMES = new Map([...STATES_BY_NAME].map(([name, state]) => [state, name]));

/** The name of a state in the admin API. */
export function stateName(state: TaskState): string {
  return NAMES.get(state) ?? 'unknown';
}

/**
 * The part of a plan for a webhook that requests some states only: the entry itself, when it
 * brings the task into one of them. The stream's position in the log moves on all the same.
 */
export function onlyStates(
  plan: Plan,
  { header: { state } }: LogEntry,
  states: readonly TaskState[] | undefined,
): Plan {
  if (states === undefined || plan.deliveries.length === 0) return plan;
  const wanted = state !== null && states.includes(state);
  return {
    cursor: plan.cursor,
    deliveries: wanted ? plan.deliveries.filter(({ kind }) => kind === 'event') : [],
  };
}
