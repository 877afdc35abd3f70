/**
 * What an attempt's outcome means.
 * - `delivered`: the receiver has it;
 * - `retry`: the receiver (or the way to it) is not well, or its keys rotate: the stream waits;
 * - `rejected`: the receiver will not take this event, whenever it is sent;
 * - `gone`: the receiver wants nothing of this webhook any more.
 */
export type Verdict = 'delivered' | 'retry' | 'rejected' | 'gone';

const REJECTED: ReadonlySet<number> = new Set([400, 405, 406, 413, 414, 415, 422]);

/** The meaning of an HTTP status; null is no answer at all (network, DNS, TLS, timeout, egress). */
export function verdictOf(status: number | null): Verdict {
  if (status === null) return 'retry';
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return REJECTED.has(status) ? 'rejected' : 'retry';
}

/** The meaning of the status in an error that is kept, such as `HTTP 410`. */
export function verdictOfError(error: string | null): Verdict {
  const status = /^HTTP (\d+)$/.exec(error ?? '')?.[1];
  return verdictOf(status === undefined ? null : Number(status));
}

/** The class of failure an attempt is recorded under; null for a success. */
export function errorClassOf(status: number | null, error: string | null): string | null {
  if (error !== null) return error;
  if (status === null) return 'network';
  if (status >= 300 && status < 400) return 'redirect';
  const verdict = verdictOf(status);
  if (verdict === 'delivered') return null;
  return verdict === 'retry' ? 'status' : verdict;
}

/** Statuses below 500 that speak of the whole endpoint, not of one webhook there. */
const OF_THE_ENDPOINT: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether a failure may be of this webhook alone (its path, its key): the receiver answers. */
export function isOwnTrouble(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500 && !OF_THE_ENDPOINT.has(status);
}
