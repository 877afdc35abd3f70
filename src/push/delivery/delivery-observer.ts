/** Hears what becomes of deliveries, for whoever counts. */
export interface DeliveryObserver {
  /** A lane was claimed that had been due for so long. */
  claimed(waitedMs: number): void;
  /** One attempt, by what it meant. */
  attempted(verdict: string, durationMs: number): void;
  /** A delivery has ended. */
  ended(state: 'delivered' | 'dead'): void;
}

/** Hears nothing. */
export const NOBODY: DeliveryObserver = {
  claimed: () => undefined,
  attempted: () => undefined,
  ended: () => undefined,
};
