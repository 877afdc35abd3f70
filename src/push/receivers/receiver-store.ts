import type { Rate } from './domain/allowance.js';

/** `off`: all are called alike; `required`: those that have not agreed are not called. */
export type VerificationMode = 'off' | 'optional' | 'required';

/** What goes to receivers that have not agreed; the settings `push.unverified.*`. */
export interface ReceiverLimits {
  readonly mode: VerificationMode;
  /** To one receiver. */
  readonly receiver: Rate;
  /** Of one principal, to all of them together. */
  readonly principal: Rate;
  /** Receivers that one principal may reach in {@link REACH_WINDOW_MS}. */
  readonly receiversPerPrincipal: number;
}

/** Receivers of a principal are counted over so long. */
export const REACH_WINDOW_MS = 10 * 60_000;

/** Which receiver would be sent to, and for which principal. */
export interface Sending {
  readonly endpoint: string;
  readonly principalId: string;
}

/** It waits; that is no failure. */
export interface Wait {
  readonly until: Date;
  /** For people. */
  readonly reason: string;
  /** Whose limit it is: all that is for the receiver waits, or what this principal sends. */
  readonly of: 'receiver' | 'principal';
  /** The receiver is to be asked now whether it agrees. */
  readonly needsChallenge: boolean;
}

export type Admission = 'verified' | 'admitted' | Wait;

/** Which receivers have agreed, and what those got that have not; the same for all processes. */
export abstract class ReceiverStore {
  /** When it answered the challenge; null when it has not. */
  abstract verifiedAt(endpoint: string): Promise<Date | null>;

  /** Whether something could be sent now; counts nothing. */
  abstract mayBeSent(sending: Sending, limits: ReceiverLimits, now: Date): Promise<boolean>;

  /**
   * Counts one request of so many bytes, unless it must wait. `mayChallenge`: its receiver may be asked for it whether it
   * agrees; where the answer says so (`needsChallenge`), it counts as asked now.
   */
  abstract admit(
    sending: Sending,
    bytes: number,
    limits: ReceiverLimits,
    now: Date,
    mayChallenge: boolean,
  ): Promise<Admission>;

  /** It has agreed. What waits for it may go on. */
  abstract verify(endpoint: string, now: Date): Promise<void>;

  /** False when it was asked less than `pauseMs` ago; else it counts as asked now. */
  abstract beginChallenge(endpoint: string, pauseMs: number, now: Date): Promise<boolean>;

  /** What counted as asked at this moment does no more, unless it was asked again since: it may be asked at once. */
  abstract takeBackChallenge(endpoint: string, at: Date): Promise<void>;
}
