import { HubError } from '../../common/hub-error.js';
import { isUrl } from '../../common/is-url.js';

const DEFAULT_PORT = '443';
const BARE = /^(\[[0-9a-f:.]+\]|[^\s/?#@:]+)(:\d+)?$/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** Whether each scheme of a gRPC address means TLS. */
const SECURE: Readonly<Record<string, boolean>> = {
  https: true,
  grpcs: true,
  http: false,
  grpc: false,
};

/**
 * The http(s) URLs that the host and port of a gRPC interface may be called at, in the order they are
 * tried: the first that the egress policy does not refuse is taken, https meaning TLS.
 *
 * Understood are `host:port` as A2A cards have it (also as `dns:///host:port`), for which plain calls
 * come first, as the policy refuses them unless the operator allowed them; and `https://`, `grpcs://`
 * (TLS) and `http://`, `grpc://` (plain), which settle it. Without a port it is 443. A path is ignored:
 * gRPC has none. Empty when it is no such address.
 */
export function grpcUrls(written: string): readonly string[] {
  const bare = written.trim().replace(/^dns:\/\/\//i, '');
  const scheme = SCHEME.exec(bare)?.[1]?.toLowerCase();
  if (scheme === undefined ? !BARE.test(bare) : !Object.hasOwn(SECURE, scheme)) return [];
  const authority = scheme === undefined ? bare : bare.slice(scheme.length + '://'.length);
  // Only https knows 443 for a default, so any other port stays written.
  const checked = `https://${authority}`;
  if (!isUrl(checked)) return [];
  const { hostname, port, username, password } = new URL(checked);
  if (hostname === '' || username !== '' || password !== '') return [];
  const host = `${hostname}:${port || DEFAULT_PORT}`;
  const secure = `https://${host}`;
  const plain = `http://${host}`;
  if (scheme === undefined) return [plain, secure];
  return [SECURE[scheme] ? secure : plain];
}

/**
 * The first of the URLs that `ask` does not refuse with EGRESS_DENIED, with its answer. Rejects as
 * `ask` did for the last one, or at once with any other error.
 */
export async function firstAllowed<T>(
  urls: readonly string[],
  ask: (url: string) => Promise<T>,
): Promise<{ readonly url: string; readonly answer: T }> {
  let refusal: unknown = new HubError('EGRESS_DENIED', 'the address is not host:port');
  for (const url of urls) {
    try {
      return { url, answer: await ask(url) };
    } catch (error) {
      if (!(error instanceof HubError) || error.reason !== 'EGRESS_DENIED') throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Whether only gRPC calls such an address. */
export function isGrpcScheme(url: string): boolean {
  return /^grpcs?:\/\//i.test(url);
}
