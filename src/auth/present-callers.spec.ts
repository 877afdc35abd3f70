import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../common/clock.js';
import type { HubError } from '../common/hub-error.js';
import type { Tx, Work } from '../database/sql.js';
import type { PrincipalStatus } from './domain/hold.js';
import { noLongerValid } from './credential-watch.js';
import { PresentCallers } from './present-callers.js';
import { principalOf } from './principal.js';

const TX = {} as Tx;
const CALLER = principalOf({ id: 'alice', organization: 'acme', scopes: ['a2a'], keyId: 'k' });

describe('PresentCallers', () => {
  let now: number;
  let present: PresentCallers;
  /** How often the database was asked, and what it says. */
  let asks: number;
  let isPresent: boolean;

  beforeEach(() => {
    now = 5000;
    [asks, isPresent] = [0, true];
    present = new PresentCallers(
      {
        // oxlint-disable-next-line require-yield -- there is no database
        *isPresentIn(): Work<boolean> {
          asks += 1;
          return isPresent;
        },
        // oxlint-disable-next-line require-yield -- there is no database
        *statusesIn(): Work<ReadonlyMap<string, PrincipalStatus>> {
          return new Map();
        },
      },
      { monotonicMs: () => now } as Clock,
    );
  });

  /** Why it is refused; undefined when it is not. */
  function outcome(work: Work<void>): HubError['reason'] | undefined {
    try {
      work.next();
      return undefined;
    } catch (error) {
      return (error as HubError).reason;
    }
  }

  it('refuses who is not a caller any more', () => {
    expect(outcome(present.refuseGone(TX, CALLER))).toBeUndefined();
    isPresent = false;
    expect(outcome(present.refuseGone(TX, CALLER))).toBe('UNAUTHENTICATED');
  });

  it('does not ask the database for a call that is watched and has not waited for long', () => {
    isPresent = false;
    const { signal } = new AbortController();
    const check = present.checkOf({ principal: CALLER, signal });
    now += 999;
    expect([outcome(check(TX)), asks]).toEqual([undefined, 0]);
  });

  it('asks it for one that has waited, whose client has left or that nothing watches', () => {
    isPresent = false;
    const late = present.checkOf({ principal: CALLER, signal: new AbortController().signal });
    now += 1000;
    const signal = AbortSignal.abort(new Error('the client has left'));
    const left = present.checkOf({ principal: CALLER, signal });
    const unwatched = present.checkOf({ principal: CALLER });
    expect([late, left, unwatched].map((check) => outcome(check(TX)))).toEqual(
      Array.from({ length: 3 }, () => 'UNAUTHENTICATED'),
    );
    isPresent = true;
    expect([outcome(late(TX)), asks]).toEqual([undefined, 4]);
  });

  it('refuses a call that was ended, without asking', () => {
    const open = new AbortController();
    const check = present.checkOf({ principal: CALLER, signal: open.signal });
    open.abort(noLongerValid(true, 'revoked-key'));
    expect([outcome(check(TX)), asks]).toEqual(['UNAUTHENTICATED', 0]);
  });

  it('refuses an operator that acts for a principal which is not there', () => {
    const check = present.checkOf({ principal: { ...CALLER, isStandIn: true } });
    expect([outcome(check(TX)), asks]).toEqual(['CONFLICT', 0]);
  });
});
