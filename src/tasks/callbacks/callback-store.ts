/** Callbacks on their way from the process that an agent called to the one that runs the delegation. */
export abstract class CallbackStore {
  /** Stores one for this delegation until it is taken; further ones do not add to it. */
  abstract note(delegationId: string, at: Date): Promise<void>;

  /** Deletes the callbacks of these delegations; the ids of those that had one. */
  abstract take(delegationIds: readonly string[]): Promise<string[]>;

  /** Deletes up to `limit` that were stored before `before` and never taken; how many. */
  abstract forget(before: Date, limit: number): Promise<number>;
}
