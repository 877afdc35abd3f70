import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from './theme';

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
  /** Each series on top of those after it. */
  readonly stacked?: boolean;
}

const HEIGHT_PX = 160;

/** Values over time. To be loaded with `lazy`: uPlot is needed by few pages. */
export default function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const { label, times, series, unit = '', height = HEIGHT_PX, kind = 'line' } = props;
  const stacked = props.stacked ?? false;
  // What is drawn keeps the colours it was drawn with.
  const theme = useTheme();
  // What the legend says, whatever is drawn.
  const given = useRef(series);
  const shape = JSON.stringify([
    series.map((each) => [each.label, each.colour]),
    unit,
    height,
    kind,
    stacked,
    theme,
  ]);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const options = optionsOf(element, given, unit, height, kind, stacked);
    const made = new UPlot(options, [[]], element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
    // Made anew when its shape changes; its values are set below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shape]);
  useEffect(() => {
    given.current = series;
    const lines = series.map(({ values }) => values);
    const drawn = stacked ? sums(lines) : lines;
    plot.current?.setData([
      [...times],
      // A bar without height would be a line.
      ...drawn.map((each, line) =>
        each.map((value, index) => (kind === 'bars' && !lines[line]?.[index] ? null : value)),
      ),
    ]);
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

/** Each list with all that follow it added. */
function sums(lists: readonly (readonly (number | null)[])[]): number[][] {
  const summed: number[][] = [];
  for (const list of lists.toReversed()) {
    const below = summed[0];
    summed.unshift(list.map((value, index) => (value ?? 0) + (below?.[index] ?? 0)));
  }
  return summed;
}

function optionsOf(
  element: HTMLElement,
  given: { readonly current: readonly Series[] },
  unit: string,
  height: number,
  kind: 'line' | 'bars',
  stacked: boolean,
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
    axes: [
      {
        ...axis,
        size: 30,
        space: 72,
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => timeText(at, step)),
      },
      {
        ...axis,
        size: 44 + unit.length * 6,
        values: (_plot, splits) => splits.map((value) => `${value}${unit}`),
      },
    ],
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    series: [
      { label: 'At', value: (_plot, value) => (value === null ? '–' : timeText(value, 1)) },
      ...given.current.map((each): UPlot.Series => ({
        label: each.label,
        stroke: colour(each.colour),
        // What is drawn above another one must hide it.
        fill: stacked
          ? colour(each.colour)
          : `${colour(each.colour)}${kind === 'bars' ? '88' : '22'}`,
        width: 1.5,
        points: { show: false },
        value: (_plot, _drawn, line, index) => {
          const value = index === null ? null : given.current[line - 1]?.values[index];
          return value === null || value === undefined ? '–' : `${value}${unit}`;
        },
        ...(kind === 'bars' && UPlot.paths.bars
          ? { paths: UPlot.paths.bars({ size: [0.7, 12] }) }
          : {}),
      })),
    ],
  };
}

/** As exact as times that are so many seconds apart must be to differ. */
function timeText(seconds: number, step: number): string {
  const at = new Date(seconds * 1000);
  const isDay = at.getHours() === 0 && at.getMinutes() === 0;
  return isDay
    ? at.toLocaleDateString('en', { month: 'short', day: 'numeric' })
    : at.toLocaleTimeString('en', {
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
        ...(step < 60 && { second: '2-digit' }),
        ...(step < 1 && { fractionalSecondDigits: 3 }),
      });
}
