import { HubError } from '../hub-error.js';

/** Codes that mean that nothing listens at a host and port, whatever the protocol. */
const NO_SERVER: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * No connection was made, so nothing was sent. `code` is the cause's (`ECONNREFUSED`, `ENOTFOUND`,
 * `UND_ERR_CONNECT_TIMEOUT`, `CERT_HAS_EXPIRED` …) or one of {@link ProxyFault}. The message holds the
 * origin and the code and never an address that a name resolved to; the cause may.
 */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  // undici keeps a request whose connect failed with its own UND_ERR_SOCKET and tries for ever;
  // under any other code the request fails at once, which is what callers need.
  readonly code: string;

  constructor(origin: string, cause: unknown) {
    const code = codeOf(cause) ?? 'ECONNFAILED';
    super(`no connection to ${origin} (${code})`, { cause });
    this.code = code === 'UND_ERR_SOCKET' || code === 'UND_ERR_INFO' ? 'ECONNFAILED' : code;
  }

  /** The name or TCP failed: the same host and port is as dead in any other protocol. */
  get noServer(): boolean {
    return NO_SERVER.has(this.code);
  }
}

/** The refusal of an address: `what` may be shown to everybody, so it has no user, path or query. */
export function denied(what: string, why: string): HubError {
  return new HubError('EGRESS_DENIED', `${what} may not be called: ${why}`);
}

export function isDenial(error: unknown): boolean {
  return error instanceof HubError && error.reason === 'EGRESS_DENIED';
}

/** The code of a system or undici error; with several addresses tried, of the first failure. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string' && code !== '') return code;
  return errors?.map(codeOf).find((one) => one !== undefined);
}
