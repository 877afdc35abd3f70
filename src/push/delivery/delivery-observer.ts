/** Observes deliveries, for metrics. */
export interface DeliveryObserver {
  /** A stream was claimed that had been due for so long. */
  claimed(waitedMs: number): void;
  /** One attempt, by what it meant. */
  attempted(verdict: string, durationMs: number): void;
  /** A delivery has ended. */
  ended(state: 'delivered' | 'dead'): void;
}
