/** What people know principals as: the feature that has principals says it. */
export abstract class PrincipalNames {
  /**
   * By the ids: the display name; else, of one whose id the hub has made, the name of its newest valid key. Those without
   * either are left out.
   */
  abstract of(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
