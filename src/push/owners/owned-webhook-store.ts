/** How many a hand-over has moved. */
export interface HandedOver {
  readonly subscriptions: number;
  /** Webhooks that are for one task each. */
  readonly webhooks: number;
}

/** The webhooks and subscriptions of one principal, as it is disabled or hands them over. */
export abstract class OwnedWebhookStore {
  /**
   * Has the claims of a principal that is disabled send nothing more: an attempt under way ends as it
   * ends. What is claimed afterwards is held back by the claim.
   */
  abstract halt(principalId: string, now: Date): Promise<void>;

  /**
   * Has up to `limit` of its webhooks that were held back go on, those after `cursor`; those of its
   * subscriptions, too. What was paused by hand stays paused, what has to be held still is held by the
   * next claim. Where the next piece begins; null when there is none.
   */
  abstract resume(
    principalId: string,
    cursor: string | null,
    limit: number,
    now: Date,
  ): Promise<string | null>;

  /**
   * Gives the subscriptions and webhooks of `from` to `to`, which receives the tasks' events in its place;
   * deliveries of before stay on record under `from`. Throws HubError CONFLICT, and moves nothing, when
   * `to` is disabled, has no valid key, is of another organization or does not see the tasks they are of.
   */
  abstract handOver(from: string, to: string, now: Date): Promise<HandedOver>;
}
