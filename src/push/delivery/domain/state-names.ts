import { TaskState } from '../../../protocol/a2a.js';

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
