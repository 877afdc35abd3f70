import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { HubError } from '../common/hub-error.js';
import type { Tx, Work } from '../database/sql.js';
import { noLongerValid, refuseEnded } from './credential-watch.js';
import type { Principal } from './principal.js';
import { PrincipalStore } from './principal-store.js';

/** What a call may have waited without the database being asked: as long as `CredentialWatch` takes from one look to the next. */
const SHORT_WAIT_MS = 1000;

/** Looks whether something may be written still, in the transaction in which it is; throws when it may not. */
export type WriteCheck = (tx: Tx) => Work<void>;

/** The call that something is written for. */
export interface WritingCall {
  readonly principal: Principal;
  /** Aborted when the client has left, or by `CredentialWatch`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether the caller that was let in is still one, when what it calls for is written: in between a call may have waited for
 * other servers, and its principal been disabled and deleted, with all that its organization had.
 */
@Injectable()
export class PresentCallers {
  constructor(
    @Inject(PrincipalStore) private readonly store: Pick<
      PrincipalStore,
      'isPresentIn' | 'statusesIn'
    >,
    private readonly clock: Clock,
  ) {}

  /** Throws UNAUTHENTICATED, as for a revoked key; otherwise nothing of the caller ends until the transaction does. */
  *refuseGone(tx: Tx, caller: Principal): Work<void> {
    if (yield* this.store.isPresentIn(tx, caller)) return;
    throw noLongerValid(caller.keyId !== undefined, 'ended-credential');
  }

  /** {@link refuseGone}, for a store. */
  writeCheckOf(caller: Principal): WriteCheck {
    return (tx) => this.refuseGone(tx, caller);
  }

  /**
   * {@link refuseGone} for the commits of messages, which have no statement to spare: the database is asked only where a call has
   * waited for long, or its client has left, so that its signal says nothing more. Otherwise that says whether it was ended.
   */
  checkOf({ principal, signal }: WritingCall): WriteCheck {
    if (principal.isStandIn === true) return (tx) => this.requireOwner(tx, principal);
    const since = this.clock.monotonicMs();
    const isWatched = (): boolean =>
      signal?.aborted === false && this.clock.monotonicMs() - since < SHORT_WAIT_MS;
    const check = this.writeCheckOf(principal);
    return function* (tx) {
      if (signal !== undefined) refuseEnded(signal);
      if (!isWatched()) yield* check(tx);
    };
  }

  /** An operator acts for it, also for one that is disabled. */
  private *requireOwner(tx: Tx, { id, organization }: Principal): Work<void> {
    const status = (yield* this.store.statusesIn(tx, [id])).get(id);
    if (status?.organization === organization) return;
    throw new HubError('CONFLICT', `There is no principal ${id} any more, whose task it is.`);
  }
}
