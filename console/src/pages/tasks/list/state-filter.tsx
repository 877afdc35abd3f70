import { statesOf, STATES, type TaskState } from './task-search';

const GROUPS: readonly { readonly label: string; readonly states: readonly TaskState[] }[] = [
  { label: 'All', states: [] },
  { label: 'Open', states: ['submitted', 'working', 'input-required', 'auth-required'] },
  { label: 'Waiting', states: ['input-required', 'auth-required'] },
  { label: 'Not successful', states: ['failed', 'rejected', 'canceled'] },
];

/** Which states: groups of them for one click, and each by itself; and whether those alone that are stuck. */
export function StateFilter({
  value,
  onChange,
  isStuck,
  onStuck,
}: {
  readonly value: string | undefined;
  readonly onChange: (states: string | undefined) => void;
  readonly isStuck: boolean;
  readonly onStuck: (isStuck: boolean) => void;
}) {
  const chosen = statesOf(value);
  const choose = (states: readonly TaskState[]) =>
    onChange(STATES.filter((each) => states.includes(each)).join(',') || undefined);
  const toggle = (state: TaskState) =>
    choose(chosen.includes(state) ? chosen.filter((each) => each !== state) : [...chosen, state]);
  return (
    <div className="tasks-states" role="group" aria-label="State">
      {GROUPS.map(({ label, states }) => (
        <button
          key={label}
          type="button"
          className="tasks-chip"
          aria-pressed={sameStates(chosen, states)}
          onClick={() => choose(states)}
        >
          {label}
        </button>
      ))}
      <button
        type="button"
        className="tasks-chip"
        aria-pressed={isStuck}
        title="No agent begins them, or nothing is received of them any more"
        onClick={() => onStuck(!isStuck)}
      >
        Stuck
      </button>
      <span className="tasks-states-line" aria-hidden="true" />
      {STATES.map((state) => (
        <button
          key={state}
          type="button"
          className="tasks-chip"
          aria-pressed={chosen.includes(state)}
          onClick={() => toggle(state)}
        >
          {state}
        </button>
      ))}
    </div>
  );
}

function sameStates(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && other.every((each) => one.includes(each));
}
