import type { SegmentKind, TimelineRow } from './timeline-rows';

const LABELS: Readonly<Record<SegmentKind, string>> = {
  queued: 'queued',
  sending: 'sending',
  working: 'working',
  waiting: 'waiting',
  delivered: 'delivered',
  failed: 'failed',
  unknown: 'not loaded',
};

/** What the colours of the rows mean. */
export function Legend({ rows }: { readonly rows: readonly TimelineRow[] }) {
  const kinds = new Set(rows.flatMap(({ segments }) => segments.map(({ kind }) => kind)));
  const ticks = new Set(rows.flatMap((row) => row.ticks.map(({ kind }) => kind)));
  return (
    <ul className="timeline-legend" aria-label="Legend">
      {(Object.keys(LABELS) as SegmentKind[])
        .filter((kind) => kinds.has(kind))
        .map((kind) => (
          <li key={kind}>
            <span className={`timeline-swatch timeline-${kind}`} /> {LABELS[kind]}
          </li>
        ))}
      {(['status', 'artifact', 'message', 'attempt'] as const)
        .filter((kind) => ticks.has(kind))
        .map((kind) => (
          <li key={kind}>
            <span className={`timeline-tick timeline-tick-${kind}`} /> {kind}
          </li>
        ))}
    </ul>
  );
}
