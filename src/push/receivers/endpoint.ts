/**
 * What breaker and disabling go by; what people are told is `receiverStateOf`.
 * - `healthy`: it may be called;
 * - `failing`: its breaker opened, or a delivery to it was given up, and it has accepted nothing since;
 * - `disabled`: nothing but failures for `push.disableAfter`; its webhooks of then are disabled.
 */
export type EndpointState = 'healthy' | 'failing' | 'disabled';

/** The health of one endpoint (organization, scheme, host, port). Times are epoch milliseconds. */
export interface EndpointHealth {
  readonly state: EndpointState;
  /** Failures in a row. */
  readonly failures: number;
  /** How many delivery streams may send to it at once; grows as it answers. */
  readonly concurrency: number;
  /** Since when its breaker is open; null while closed. */
  readonly openedAt: number | null;
  /** While the breaker is open: from when on one delivery stream may try. Null while closed. */
  readonly probeAt: number | null;
  /** Tries that failed since it opened; each makes the next pause longer. */
  readonly probes: number;
  /** Since when nothing but failures came of it. */
  readonly failingSince: number | null;
  readonly disabledAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  /** What went wrong last, in one sentence; never holds a secret. */
  readonly lastError: string | null;
}

/**
 * Whose trouble a failure is. `webhook`: it answered with a status that may be this webhook's own (401,
 * 404 …); `way`: it may be the name service's or the egress proxy's. Only `endpoint` counts when it comes to
 * disabling; all of them open the breaker.
 */
export type Blame = 'endpoint' | 'webhook' | 'way';

/** How an attempt ended, as far as it says something about the endpoint. */
export type EndpointOutcome =
  /** 2xx. */
  | { readonly kind: 'delivered'; readonly begunAt: number }
  /** It refused this event or this webhook for good (rejected, 410): it is there. `error`: e.g. `HTTP 410`. */
  | { readonly kind: 'answered'; readonly begunAt: number; readonly error: string }
  | {
      readonly kind: 'failed';
      readonly begunAt: number;
      /** E.g. `HTTP 503` or `ECONNREFUSED`. */
      readonly error: string;
      readonly blame: Blame;
      /** It asked by 429 or 503 with Retry-After to be left alone for so long. */
      readonly retryAfterMs: number | null;
      /** The delivery was given up with it. */
      readonly exhausted: boolean;
    };

/** An endpoint as people see it. */
export interface Endpoint extends EndpointHealth {
  /** Organization and origin. */
  readonly endpoint: string;
  readonly organization: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** `organization scheme://host:port`: what caps, health and dead letters are counted by. */
export function endpointOf(organization: string, url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const number = port || (protocol === 'https:' ? '443' : '80');
  return `${organization} ${protocol}//${hostname}:${number}`;
}

/** What {@link endpointOf} has put together. */
export function partsOf(endpoint: string): {
  readonly organization: string;
  readonly origin: string;
} {
  const at = endpoint.lastIndexOf(' ');
  return { organization: endpoint.slice(0, at), origin: endpoint.slice(at + 1) };
}

/** The origin of an endpoint, without its organization. */
export function originOf(endpoint: string): string {
  return partsOf(endpoint).origin;
}
