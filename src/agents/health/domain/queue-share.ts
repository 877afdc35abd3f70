/** Who waits for an agent, as far as shares go. */
export interface QueueShare {
  /** Delegations queued for it. */
  readonly total: number;
  /** Organizations they are of, the asker's included whether or not it has one. */
  readonly organizations: number;
  /** Those of the asker's organization. */
  readonly ofOrganization: number;
  /** Principals of the asker's organization they are of, the asker included. */
  readonly principals: number;
  /** Those of the asker itself. */
  readonly ofPrincipal: number;
}

/** An organization's principals with less than their share are let in up to so many times its share. */
const MOST_SHARES = 2;

/**
 * Whether one more may wait in a queue for `most`. Who is alone may have all of it. When it is full, an
 * organization that has less than its equal share is let in all the same, and so is a principal with less
 * than its equal share of its organization's: so only those that have more are turned away, and the queue
 * may grow to a small multiple of `most`.
 */
export function mayJoin(share: QueueShare, most: number): boolean {
  const fairOfOrganization = most / share.organizations;
  if (share.total < most || share.ofOrganization < fairOfOrganization) return true;
  return (
    share.ofPrincipal < fairOfOrganization / share.principals &&
    share.ofOrganization < fairOfOrganization * MOST_SHARES
  );
}
