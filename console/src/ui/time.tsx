import { useSyncExternalStore } from 'react';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const TICK_MS = 5_000;

// One timer for all times of a page.
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present time, told anew every five seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function ago(at: Date, from: number): string {
  const distance = at.getTime() - from;
  // What has just happened is behind the present that is told, not before it.
  const ms = distance > 0 && distance < TICK_MS ? 0 : distance;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? UNITS.at(-1)!;
  return RELATIVE.format(Math.round(ms / size), unit);
}

/** A time as a distance from now; the time itself on hovering, and to screen readers. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const present = useNow();
  if (!at) return <span className="faint">never</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {ago(date, present)}
    </time>
  );
}

/** A duration in milliseconds, to three digits: `312 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  if (ms < 3_600_000)
    return joined(Math.floor(ms / 60_000), 'min', Math.floor((ms % 60_000) / 1000), 's');
  if (ms < 86_400_000)
    return joined(Math.floor(ms / 3_600_000), 'h', Math.floor((ms % 3_600_000) / 60_000), 'min');
  return joined(Math.floor(ms / 86_400_000), 'd', Math.floor((ms % 86_400_000) / 3_600_000), 'h');
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Bytes: `312 B`, `4.2 kB`, `1.3 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
