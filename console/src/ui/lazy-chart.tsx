import { lazy, Suspense } from 'react';
import type { ChartProps } from './chart';

const Drawn = lazy(() => import('./chart'));

/** Values over time; loaded when the first is shown. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div className="chart" style={{ minHeight: props.height ?? 160 }} />}>
      <Drawn {...props} />
    </Suspense>
  );
}
