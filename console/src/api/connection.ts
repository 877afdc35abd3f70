import { SharedValue, useShared } from './shared-value';

/** Whether the last call of the hub got no answer at all. */
const lost = new SharedValue(false);

export function connectionLost(): void {
  lost.set(true);
}

export function connectionFound(): void {
  lost.set(false);
}

export function useConnectionLost(): boolean {
  return useShared(lost);
}
