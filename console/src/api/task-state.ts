/** States of tasks as they are shown: `working`. */
const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);

export function isEnded(state: string): boolean {
  return ENDED.has(state);
}

export function isWaiting(state: string): boolean {
  return state === 'input-required' || state === 'auth-required';
}
