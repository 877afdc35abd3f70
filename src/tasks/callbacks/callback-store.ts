/** Callbacks on their way from the process that an agent called to the one that runs the delegation. */
export abstract class CallbackStore {
  /** Keeps one for this delegation until it is taken; more of them are one. */
  abstract note(delegationId: string, at: Date): Promise<void>;

  /** Takes away those of these delegations; which had one. */
  abstract take(delegationIds: readonly string[]): Promise<string[]>;

  /** Deletes up to `limit` that were noted before `before`: nobody waits for them. How many. */
  abstract forget(before: Date, limit: number): Promise<number>;
}
