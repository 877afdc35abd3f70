/** Which of the principals and organizations that something names there are. */
export abstract class KnownOwners {
  /** Which of these principals there are; the hub's own is, without a row. */
  abstract principals(ids: readonly string[]): Promise<ReadonlySet<string>>;

  /** Which of these organizations there are; the one that everything is in by default is, without a row. */
  abstract organizations(ids: readonly string[]): Promise<ReadonlySet<string>>;
}
