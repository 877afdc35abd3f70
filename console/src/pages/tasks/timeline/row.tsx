import { StateBadge } from '../../../ui/badge';
import { durationText } from '../../../ui/time';
import { placeOf, type TimeAxis } from './time-axis';
import type { TimelineRow } from './timeline-rows';

/** Ticks of one row that are drawn: more could not be told apart. */
const MOST_TICKS = 400;

export function Row({ row, axis }: { readonly row: TimelineRow; readonly axis: TimeAxis }) {
  const segments = row.segments.filter(({ from }) => from <= axis.to);
  const ticks = row.ticks.filter(({ at }) => at <= axis.to);
  const last = Math.max(...row.segments.map(({ to }) => to), ...row.ticks.map(({ at }) => at));
  return (
    <li className="timeline-row">
      <div className="timeline-name">
        <span className="timeline-title" title={row.name}>
          {row.name}
        </span>
        <StateBadge state={row.state} />
        {row.detail && <span className="faint">{row.detail}</span>}
      </div>
      <div>
        <div className="timeline-track" aria-hidden="true">
          {axis.marks.map((mark) => (
            <span
              key={mark}
              className="timeline-line"
              style={{ insetInlineStart: `${placeOf(axis.from + mark, axis)}%` }}
            />
          ))}
          {segments.map(({ kind, from, to, label }, index) => (
            <span
              key={index}
              className={`timeline-segment timeline-${kind}`}
              title={label}
              style={{
                insetInlineStart: `${placeOf(from, axis)}%`,
                width: `${placeOf(to, axis) - placeOf(from, axis)}%`,
              }}
            />
          ))}
          {ticks.slice(-MOST_TICKS).map(({ kind, at, label }, index) => (
            <span
              key={index}
              className={`timeline-tick timeline-tick-${kind}`}
              title={label}
              style={{ insetInlineStart: `${placeOf(at, axis)}%` }}
            />
          ))}
        </div>
        <p className="timeline-words">
          {row.words}
          {last > axis.to && ` · until +${durationText(last - axis.from)}, beyond what is drawn`}
        </p>
        {row.attempts.length > 0 && (
          <ul className="timeline-attempts">
            {row.attempts.map((label, index) => (
              <li key={index}>{label}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}
