import { lazy, Suspense } from 'react';
import type { ChartProps } from './chart';

// uPlot does not load where the browser's language is none that `Intl` knows (`en-US@posix`).
const Drawn = lazy(() => import('./chart').catch(() => ({ default: NotDrawn })));

/** Values over time; loaded when the first is shown. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div className="chart" style={{ minHeight: props.height ?? 160 }} />}>
      <Drawn {...props} />
    </Suspense>
  );
}

function NotDrawn({ label }: ChartProps) {
  return <p className="faint">This browser cannot draw: {label}.</p>;
}
