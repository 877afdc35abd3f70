import type { Step } from './history';

/** Health and breaker over time, a cell for each step. */
export function ConditionStrip({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <div className="agents-strips">
      <Strip
        label="Health"
        cells={steps.map(({ at, health }) => ({ at, state: health }))}
        bad={['down', 'failing', 'degraded']}
      />
      <Strip
        label="Breaker"
        cells={steps.map(({ at, breaker }) => ({ at, state: breaker }))}
        bad={['open', 'half-open']}
      />
      <ul className="agents-legend" aria-hidden="true">
        {['healthy', 'degraded', 'failing', 'down', 'unknown'].map((state) => (
          <li key={state}>
            <span className={`agents-cell agents-cell-${state}`} /> {nameOf(state)}
          </li>
        ))}
        <li>
          <span className="agents-cell agents-cell-closed" /> breaker closed
        </li>
        <li>
          <span className="agents-cell agents-cell-open" /> breaker open
        </li>
      </ul>
    </div>
  );
}

function Strip({
  label,
  cells,
  bad,
}: {
  readonly label: string;
  readonly cells: readonly { readonly at: number; readonly state: string }[];
  readonly bad: readonly string[];
}) {
  const troubled = bad
    .map((state) => [state, cells.filter((cell) => cell.state === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${nameOf(state)} in ${count} of ${cells.length} steps`);
  return (
    <>
      <span className="agents-strip-label" aria-hidden="true">
        {label}
      </span>
      <div
        className="agents-strip"
        role="img"
        aria-label={`${label} over time: now ${nameOf(cells.at(-1)?.state ?? 'unknown')}; ${troubled.join(', ') || 'never in trouble'}.`}
      >
        {cells.map(({ at, state }) => (
          <span
            key={at}
            className={`agents-cell-${state}`}
            title={`${new Date(at).toLocaleString()}: ${nameOf(state)}`}
          />
        ))}
      </div>
    </>
  );
}

function nameOf(state: string): string {
  return state === 'failing' ? 'half or more of its calls failed' : state;
}
