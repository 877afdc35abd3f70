/** Whom limits can be for, beside agents. */
export abstract class KnownOwners {
  /** Which of these principals there are. */
  abstract principals(ids: readonly string[]): Promise<ReadonlySet<string>>;

  /** Which of these organizations there are. */
  abstract organizations(ids: readonly string[]): Promise<ReadonlySet<string>>;
}
