/** Whether a time is still to come, and no further ahead than it was at first: further lies only what a clock set back has left there. */
export function isAhead(time: number, now: number, mostMs: number): boolean {
  return time > now && time - now <= mostMs;
}
