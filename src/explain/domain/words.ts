const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something took, as people say it: `120 ms`, `3.2 s`, `2 min 5 s`, `3 h 2 min`, `4 d 1 h`. */
export function durationOf(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < HOUR) return inTwo(ms, [MINUTE, 'min'], [SECOND, 's']);
  if (ms < DAY) return inTwo(ms, [HOUR, 'h'], [MINUTE, 'min']);
  return inTwo(ms, [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function inTwo(ms: number, [large, ofLarge]: Unit, [small, ofSmall]: Unit): string {
  const whole = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  return rest === 0 ? `${whole} ${ofLarge}` : `${whole} ${ofLarge} ${rest} ${ofSmall}`;
}

/** `1 agent`, `2 agents`. */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
