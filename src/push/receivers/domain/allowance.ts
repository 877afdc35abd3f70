/** What may be sent in a minute; a minute's worth may go at once. */
export interface Rate {
  readonly requestsPerMinute: number;
  readonly bytesPerMinute: number;
}

/**
 * How much of a {@link Rate} is used up, as the times at which it is whole again (epoch milliseconds): the
 * generic cell rate algorithm, of which two numbers are the whole state.
 */
export interface Used {
  readonly requestsAt: number;
  readonly bytesAt: number;
}

export const NOTHING_USED: Used = { requestsAt: 0, bytesAt: 0 };

const MINUTE_MS = 60_000;

/**
 * From when on something may be sent, however large: as soon as there is anything left. So what is large
 * does not wait behind all that is small; the debt it leaves holds back what comes after it.
 */
export function freeAt({ requestsAt, bytesAt }: Used, rate: Rate): number {
  const request = requestsAt + MINUTE_MS / rate.requestsPerMinute;
  return Math.ceil(Math.max(request, bytesAt + 1) - MINUTE_MS);
}

/** After one request of so many bytes. */
export function afterSending(used: Used, rate: Rate, bytes: number, now: number): Used {
  const of = (at: number, cost: number, perMinute: number): number =>
    Math.ceil(Math.max(at, now) + (cost * MINUTE_MS) / perMinute);
  return {
    requestsAt: of(used.requestsAt, 1, rate.requestsPerMinute),
    bytesAt: of(used.bytesAt, bytes, rate.bytesPerMinute),
  };
}
