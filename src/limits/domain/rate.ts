import { HubError } from '../../common/hub-error.js';
import { nameOf, refusalBy, whoHas } from './applied-limit.js';
import { type LimitSubject, targetOf } from './limit.js';

/** How many requests, or messages to an agent, somebody has in each second. */
export interface Rate {
  readonly subject: LimitSubject;
  readonly max: number;
}

/** How many points were taken of a rate in a second, and ahead in the next one. */
export interface RateState {
  /** Since the epoch. */
  readonly second: number;
  readonly taken: number;
  readonly ahead: number;
}

/** What a process asks for. */
export interface RateAsk {
  /** Which rate: {@link rateKey}. */
  readonly key: string;
  readonly max: number;
  readonly wanted: number;
  /** For the next second. */
  readonly isAhead: boolean;
}

/** The points that it gets, and in which second they count. */
export interface RateLease {
  readonly second: number;
  readonly points: number;
}

/** A state that is further ahead was written by a clock that is no longer there. */
export const MOST_AHEAD = 2;

/**
 * Takes points: at most half of what is left, so that no process gets all while others want some, and one that wants
 * everything has it after few takes. `second` is what the database's clock says.
 */
export function takeOf(
  before: RateState,
  second: number,
  { max, wanted, isAhead }: Pick<RateAsk, 'max' | 'wanted' | 'isAhead'>,
): { readonly state: RateState; readonly lease: RateLease } {
  const state = turnedTo(before, second);
  const used = isAhead ? state.ahead : state.taken;
  const left = Math.max(0, max - used);
  const points = Math.min(wanted, Math.ceil(left / 2));
  return {
    state: {
      second: state.second,
      taken: state.taken + (isAhead ? 0 : points),
      ahead: state.ahead + (isAhead ? points : 0),
    },
    lease: { second: state.second + (isAhead ? 1 : 0), points },
  };
}

function turnedTo(state: RateState, second: number): RateState {
  // Who has waited for the row may have looked at the clock before others wrote it.
  if (state.second >= second && state.second <= second + MOST_AHEAD) return state;
  return { second, taken: state.second === second - 1 ? state.ahead : 0, ahead: 0 };
}

/** The refusal of what would go beyond it. */
export function rateExceeded({ subject, max }: Rate): HubError {
  const limit = { subject, kind: 'requestsPerSecond' } as const;
  const name = nameOf(limit);
  const target = targetOf(subject);
  const isGiven = subject.organization === null && subject.principal === null;
  const what = `${isGiven ? 'been given' : 'sent'} all ${max} ${target === null ? 'requests' : 'messages'}`;
  return new HubError(
    'RATE_LIMITED',
    `The limit ${name} is used up: ${whoHas(subject)} ${what} of this second. Try again in 1 s.`,
    {
      metadata: { quota: name, limit: String(max), retryAfterSeconds: '1', ...target },
      refusal: refusalBy(limit),
    },
  );
}
