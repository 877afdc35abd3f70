import type { Limit, LimitDefinition } from './domain/limit.js';

/** The storage of the limits made by the API. They are held in memory where they decide. */
export abstract class LimitStore {
  /** All limits by id. */
  abstract all(): Promise<Limit[]>;

  /**
   * Creates or replaces a limit. Throws HubError CONFLICT when another one is for the same subject, and when there
   * would be more than `maximum`.
   */
  abstract put(
    id: string,
    definition: LimitDefinition,
    maximum: number,
    now: Date,
  ): Promise<{ limit: Limit; isNew: boolean }>;

  /** False when there is none. */
  abstract remove(id: string): Promise<boolean>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
