import type { Limit, LimitDefinition } from './domain/limit.js';

/** The storage of the limits made by the API. They are held in memory where they decide. */
export abstract class LimitStore {
  /** All limits by id. */
  abstract all(): Promise<Limit[]>;

  /**
   * Creates or replaces a limit; with `isCreated` it creates one alone. Throws HubError CONFLICT when another one is for
   * the same subject, when there would be more than `maximum`, and when there is one that is to be created.
   */
  abstract put(
    id: string,
    definition: LimitDefinition,
    maximum: number,
    now: Date,
    isCreated?: boolean,
  ): Promise<{ limit: Limit; isNew: boolean }>;

  /** False when there is none. */
  abstract remove(id: string): Promise<boolean>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
