import type { Policy, PolicyDefinition } from './domain/policy.js';

/** A policy as it was at a version. */
export interface PolicyVersion extends PolicyDefinition {
  readonly version: number;
  readonly at: Date;
}

/** Policies were changed after what was decided on them: decide anew. */
export class PoliciesChanged extends Error {}

/**
 * The storage of the policies made by the API. They are few, and held in memory where they decide. Changes are made to the policies at a
 * revision, and throw {@link PoliciesChanged} where there is a newer one.
 */
export abstract class PolicyStore {
  /** All policies by id. */
  abstract all(): Promise<Policy[]>;

  /** Throws HubError CONFLICT when the id is taken, and when its organization has `limit` policies. */
  abstract add(
    id: string,
    definition: PolicyDefinition,
    limit: number,
    now: Date,
    revision?: number,
  ): Promise<Policy>;

  /**
   * Changes a policy as it is stored at that moment; `change` is pure, may run again, and may throw to leave it as it is.
   * Undefined when there is none.
   */
  abstract update(
    id: string,
    change: (policy: Policy) => PolicyDefinition,
    now: Date,
    revision?: number,
  ): Promise<Policy | undefined>;

  /** Deletes a policy with its versions; false when there is none. */
  abstract remove(id: string, revision?: number): Promise<boolean>;

  /** The newest versions of a policy, at most `limit`, the newest first. */
  abstract versions(id: string, limit: number): Promise<readonly PolicyVersion[]>;

  /** A number that every change raises, whichever process makes it; cheap to ask for. */
  abstract revision(): Promise<number>;
}
