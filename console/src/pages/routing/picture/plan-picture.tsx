import { useId, useMemo, useSyncExternalStore } from 'react';
import { classNames } from '../../../ui/class-names';
import { durationText } from '../../../ui/time';
import { type Box, END, layoutOf, type Line, START } from './layout';
import { PlanList } from './plan-list';
import { MESSAGE, type PictureStep } from './plan-steps';
import './picture.css';

/** On narrow screens it goes from top to bottom. */
const narrow = matchMedia('(max-width: 700px)');
const LABELS = { failed: 'if it fails', ended: 'either way' } as const;

/** A plan drawn: boxes for steps, lines for what goes from one to the next and for conditions alone. */
export function PlanPicture({
  label,
  steps,
}: {
  readonly label: string;
  readonly steps: readonly PictureStep[];
}) {
  const arrow = useId();
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches);
  const layout = useMemo(() => layoutOf(steps, isNarrow ? 'down' : 'across'), [steps, isNarrow]);
  const { width, height, boxes, lines } = layout;
  return (
    <figure className="plan">
      <div className="plan-scroll" tabIndex={0} role="region" aria-label={label}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`${label}: ${steps.length} steps. They are listed below.`}
        >
          <defs>
            <marker
              id={arrow}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 8 4 0 8z" className="plan-arrow" />
            </marker>
          </defs>
          {lines.map((line) => (
            <LineView key={`${line.from} ${line.to}`} line={line} arrow={arrow} />
          ))}
          {boxes.map((box) => (
            <BoxView key={box.id} box={box} />
          ))}
        </svg>
      </div>
      <details>
        <summary>The steps as a list</summary>
        <PlanList steps={steps} />
      </details>
    </figure>
  );
}

function subscribe(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

function LineView({ line, arrow }: { readonly line: Line; readonly arrow: string }) {
  const { path, carries, outcome, labelX, labelY } = line;
  const said = outcome === 'failed' || outcome === 'ended' ? LABELS[outcome] : null;
  return (
    <g
      className={classNames('plan-line', !carries && 'condition', outcome === 'failed' && 'failed')}
    >
      <path d={path} markerEnd={`url(#${arrow})`} />
      {said && (
        <text x={labelX} y={labelY} textAnchor="middle">
          {said}
        </text>
      )}
    </g>
  );
}

const INSET = 12;
const NAME_LENGTH = 22;
const TEXT_LENGTH = 27;

function BoxView({ box }: { readonly box: Box }) {
  const { id, x, y, width, height, step } = box;
  if (step === undefined) {
    return (
      <g className="plan-end">
        <rect x={x} y={y} width={width} height={height} rx={height / 2} />
        <text x={x + width / 2} y={y + height / 2 + 4} textAnchor="middle">
          {id === START ? 'Message' : id === END ? 'Result' : ''}
        </text>
      </g>
    );
  }
  const { name, target, how, isOptional, problem } = step;
  return (
    <g
      className={classNames(
        'plan-step',
        isOptional && 'optional',
        how !== null && 'several',
        problem !== undefined && 'wrong',
      )}
    >
      <title>{[name, target, how, problem].filter(Boolean).join('\n')}</title>
      {how !== null && <rect x={x + 4} y={y + 4} width={width} height={height} rx={9} />}
      <rect x={x} y={y} width={width} height={height} rx={9} />
      <text x={x + INSET} y={y + 22} className="plan-name">
        {cut(name, NAME_LENGTH)}
      </text>
      {isOptional && (
        <text x={x + width - INSET} y={y + 21} className="plan-small" textAnchor="end">
          optional
        </text>
      )}
      <text x={x + INSET} y={y + 42}>
        {cut(target, TEXT_LENGTH)}
      </text>
      <text x={x + INSET} y={y + 63} className="plan-small">
        {cut(problem ?? noteOf(step), TEXT_LENGTH + 5)}
      </text>
    </g>
  );
}

/** What else is to be known of a step. */
function noteOf({ how, inputs, after, deadlineMs }: PictureStep): string {
  return [
    how,
    after.length > 1 && `joins ${after.length}`,
    after.length > 0 && inputs.includes(MESSAGE) && '+ message',
    deadlineMs !== undefined && `in ${durationText(deadlineMs)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
