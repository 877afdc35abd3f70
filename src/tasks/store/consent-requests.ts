import type { ConsentKey } from '../../agents/index.js';

/** A delegation that waits for the consent of its task's owner. */
export interface ConsentRequest extends ConsentKey {
  readonly delegationId: string;
  readonly taskId: string;
  /** Until when its link may be opened. */
  readonly expiresAt: Date;
}

/** What belongs together from when a link was first opened until a provider has sent a browser back. Secret. */
export interface StartedConsent {
  readonly state: string;
  /** Browsers that have opened the link show it. */
  readonly browser: string;
  readonly verifier: string;
}

/** What an attempt begins with. */
export interface BegunConsent {
  readonly verifier: string;
  /** A digest of the client and the servers that the user is asked for. */
  readonly client: string;
}

/** What is found for the answer of a provider. */
export type TakenConsent =
  | ({ readonly kind: 'taken'; readonly request: ConsentRequest } & BegunConsent)
  /** There is none: its state is not known, was used, or a new link has taken its place. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'other-browser' };

/**
 * Delegations that wait for a consent, and the links at which it is given: one for each, the newest. Ids of links, states and browsers
 * are kept as digests.
 */
export abstract class ConsentRequests {
  /** Makes the link of a delegation, in place of the one before; false when its principal has `most` others that are open. */
  abstract open(request: ConsentRequest, linkId: string, most: number, now: Date): Promise<boolean>;

  /** That of a link, open or not. Undefined when there is none. */
  abstract of(linkId: string): Promise<ConsentRequest | undefined>;

  /**
   * A browser opens the link: it may complete it until `until`. One that runs goes on, for whoever opens the link: programs that
   * preview links end nothing. Else, or where that was for another client, a new one begins, with `begun`. Undefined when the link is not the newest any more.
   */
  abstract start(
    linkId: string,
    begun: BegunConsent,
    now: Date,
    until: Date,
  ): Promise<StartedConsent | undefined>;

  /** The one of a state, which is used up then; not by a browser that has not opened the link. An unknown state costs one read. */
  abstract take(state: string, browser: string, now: Date): Promise<TakenConsent>;

  /** All delegations that wait for this consent, their links open or not. */
  abstract waiting(key: ConsentKey): Promise<readonly ConsentRequest[]>;

  abstract close(delegationId: string): Promise<void>;

  /** Deletes those whose delegation does not wait any more, `limit` at most; how many. */
  abstract forget(limit: number): Promise<number>;
}
