import { useId, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { classNames } from '../../../ui/class-names';
import { durationText } from '../../../ui/time';
import { type Box, END, type Layout, layoutOf, type Line, START } from './layout';
import { PlanList } from './plan-list';
import { MESSAGE, type PictureStep } from './plan-steps';
import './picture.css';

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
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRoom(scroller);
  const layout = useMemo(() => fitting(steps, room), [steps, room]);
  const { width, height, boxes, lines } = layout;
  return (
    <figure className="plan">
      <div className="plan-scroll" ref={scroller} tabIndex={0} role="region" aria-label={label}>
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

/** From left to right where there is room for it, else from top to bottom. */
function fitting(steps: readonly PictureStep[], room: number): Layout {
  const across = layoutOf(steps, 'across');
  if (across.width <= room) return across;
  const down = layoutOf(steps, 'down');
  return down.width < across.width ? down : across;
}

/** The width that an element has within its padding. */
function useRoom(element: RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(Infinity);
  useLayoutEffect(() => {
    const observed = element.current;
    if (observed === null) return;
    const measured = new ResizeObserver(([entry]) => {
      if (entry) setRoom(entry.contentRect.width);
    });
    measured.observe(observed);
    return () => measured.disconnect();
  }, [element]);
  return room;
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
/** The usual width of a character, by the size of its text. */
const NAME_PX = 7.8;
const TEXT_PX = 6.6;
const SMALL_PX = 5.8;
const OPTIONAL_PX = 50;

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
  const room = width - 2 * INSET;
  const nameRoom = isOptional ? room - OPTIONAL_PX : room;
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
        {cut(name, nameRoom / NAME_PX)}
      </text>
      {isOptional && (
        <text x={x + width - INSET} y={y + 21} className="plan-small" textAnchor="end">
          optional
        </text>
      )}
      <text x={x + INSET} y={y + 42}>
        {cut(target, room / TEXT_PX)}
      </text>
      <text x={x + INSET} y={y + 63} className="plan-small">
        {cut(problem ?? noteOf(step), room / SMALL_PX)}
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
  return text.length > length ? `${text.slice(0, Math.floor(length) - 1)}…` : text;
}
