import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Series {
  readonly label: string;
  /** A name of a colour of the style sheet: `--good`, `--bad`, `--accent`. */
  readonly colour: string;
  /** A value for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** What it shows, in words: to screen readers, with the table of its values. */
  readonly label: string;
  /** Unix times in seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly unit?: string;
  readonly height?: number;
  readonly kind?: 'line' | 'bars';
}

const HEIGHT_PX = 160;

/** Values over time. To be loaded with `lazy`: uPlot is needed by few pages. */
export default function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const { label, times, series, unit = '', height = HEIGHT_PX, kind = 'line' } = props;
  const shape = JSON.stringify([
    series.map((each) => [each.label, each.colour]),
    unit,
    height,
    kind,
  ]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new UPlot(optionsOf(element, series, unit, height, kind), [[]], element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
    // Made anew when its shape changes; its values are set below.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [shape]);
  useEffect(() => {
    plot.current?.setData([[...times], ...series.map(({ values }) => [...values])]);
  });
  const newest = series
    .map((each) => `${each.label} ${each.values.at(-1) ?? 'none'}${unit}`)
    .join(', ');
  return (
    <figure className="chart" role="img" aria-label={`${label}. Now: ${newest}.`}>
      <div ref={place} />
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  series: readonly Series[],
  unit: string,
  height: number,
  kind: 'line' | 'bars',
): UPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis: UPlot.Axis = {
    stroke: colour('--faint'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  return {
    width: element.clientWidth,
    height,
    cursor: { points: { show: false } },
    legend: { live: true },
    axes: [axis, { ...axis, size: 44 }],
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    series: [
      {},
      ...series.map((each): UPlot.Series => ({
        label: each.label,
        stroke: colour(each.colour),
        fill: `${colour(each.colour)}22`,
        width: 1.5,
        points: { show: false },
        value: (_plot, value) => (value === null ? '–' : `${value}${unit}`),
        ...(kind === 'bars' && UPlot.paths.bars
          ? { paths: UPlot.paths.bars({ size: [0.7, 12] }) }
          : {}),
      })),
    ],
  };
}
