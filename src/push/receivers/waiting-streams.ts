/** Counts end here, so that looking costs the same whatever waits. */
export const COUNT_LIMIT = 1000;

/** What waits to be sent to endpoints. */
export abstract class WaitingStreams {
  /** How many delivery streams wait for each of these endpoints; at most {@link COUNT_LIMIT} are counted. */
  abstract countFor(endpoints: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
