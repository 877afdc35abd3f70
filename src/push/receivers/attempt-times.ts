/** How long one attempt took. */
export interface AttemptTime {
  /** `organization scheme://host:port`. */
  readonly endpoint: string;
  readonly durationMs: number;
  /** See `DeliveryAttempt`. */
  readonly isRounded: boolean;
  /** When it began. */
  readonly at: Date;
}

/** How long attempts took, at a cost that does not depend on how many there were. */
export abstract class AttemptTimes {
  /** The newest of all receivers, at most `limit`, newest first. */
  abstract newest(limit: number): Promise<AttemptTime[]>;
}
