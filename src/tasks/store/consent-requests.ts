import type { ConsentKey } from '../../agents/index.js';

/** A delegation that waits for the consent of its task's owner. */
export interface ConsentRequest extends ConsentKey {
  readonly delegationId: string;
  readonly taskId: string;
  /** Until when its link may be opened. */
  readonly expiresAt: Date;
}

/** What belongs together from when a browser has opened the link until the provider has sent it back. Secret. */
export interface StartedConsent {
  readonly state: string;
  /** The browser that has opened the link. */
  readonly browser: string;
  readonly verifier: string;
}

/** What is found for the answer of a provider. */
export type TakenConsent =
  | { readonly kind: 'taken'; readonly request: ConsentRequest; readonly verifier: string }
  /** There is none: its state is not known, was used, or the link was opened again. */
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

  /** A browser has opened the link: only it may complete it, with this state, until `until`. Any earlier opening ends. */
  abstract start(delegationId: string, started: StartedConsent, until: Date): Promise<void>;

  /** The one of a state, which is used up then; not by another browser. */
  abstract take(state: string, browser: string, now: Date): Promise<TakenConsent>;

  /** All delegations that wait for this consent, their links open or not. */
  abstract waiting(key: ConsentKey): Promise<readonly ConsentRequest[]>;

  abstract close(delegationId: string): Promise<void>;

  /** Deletes those whose delegation does not wait any more, `limit` at most; how many. */
  abstract forget(limit: number): Promise<number>;
}
