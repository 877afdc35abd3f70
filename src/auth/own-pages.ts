import { isIP } from 'node:net';
import { SAFE_METHODS } from '../common/http/safe-methods.js';
import { type AppConfig, isLoopback } from '../config/index.js';
import type { RequestHeaders } from './credential.js';

/** What is looked at of a request. */
interface BrowserRequest {
  readonly method: string;
  readonly headers: RequestHeaders;
}

/**
 * Tells whether a caller without a key (`auth.mode: none`, or with a client certificate) may be a page of somebody else in the browser of
 * who runs the hub: one whose name was made to lead here (DNS rebinding), or that sends requests across
 * origins. A key protects from both, for such a page has none.
 */
export class OwnPages {
  private readonly publicHost: string | undefined;
  private readonly publicOrigin: string | undefined;

  constructor(private readonly config: Pick<AppConfig, 'publicUrl' | 'server'>) {
    if (config.publicUrl === null) return;
    const { hostname, origin } = new URL(config.publicUrl);
    this.publicHost = bare(hostname);
    this.publicOrigin = origin;
  }

  /** Why the request is not taken without a key, as a sentence that says what to do; undefined when it is. */
  fault({ method, headers }: BrowserRequest): string | undefined {
    const { host } = headers;
    if (typeof host !== 'string' || !this.isOwn(host)) {
      return 'Without a key the Host must be an address of the hub: call it as localhost, by its address or by the host of publicUrl, or with a key.';
    }
    return this.isHarmless({ method, headers }, host)
      ? undefined
      : 'Pages of other origins cannot call the hub without a key.';
  }

  /** The same of a request with a client certificate, which a browser sends for every page. */
  faultWithCertificate({ method, headers }: BrowserRequest): string | undefined {
    const { host } = headers;
    return this.isHarmless({ method, headers }, typeof host === 'string' ? host : '')
      ? undefined
      : 'Pages of other origins cannot call the hub with a client certificate: they need a key or an access token.';
  }

  /** The same of a request with the cookie of a session, which is taken from the hub's own page alone, whatever it asks for. */
  faultWithSession(headers: BrowserRequest['headers']): string | undefined {
    const { host, 'sec-fetch-site': site } = headers;
    const isOther = site !== undefined && site !== 'same-origin';
    return isOther || this.isForeign(typeof host === 'string' ? host : '', headers)
      ? "A session is for the hub's own page: other pages cannot call with it."
      : undefined;
  }

  private isHarmless({ method, headers }: BrowserRequest, host: string): boolean {
    return !this.isForeign(host, headers) || (SAFE_METHODS.has(method) && !this.mayRead(headers));
  }

  private isOwn(host: string): boolean {
    const name = hostnameOf(host);
    if (name === undefined) return false;
    const { host: listening } = this.config.server;
    if (isLoopback(name) || name.endsWith('.localhost')) return true;
    if (name === this.publicHost || name === bare(listening)) return true;
    // A name can be made to lead anywhere, an address cannot; on a loopback host no other leads here.
    return !isLoopback(listening) && isIP(name) !== 0;
  }

  /** Whether a page of another origin could read the answer: only when it asks by CORS, and some origin may. */
  private mayRead({ origin }: BrowserRequest['headers']): boolean {
    return origin !== undefined && this.config.server.corsOrigins.length > 0;
  }

  private isForeign(host: string, headers: BrowserRequest['headers']): boolean {
    const { origin, 'sec-fetch-site': site } = headers;
    if (origin !== undefined) {
      return origin !== this.publicOrigin && originHost(origin) !== host.toLowerCase();
    }
    return site !== undefined && site !== 'same-origin' && site !== 'none';
  }
}

function hostnameOf(host: string): string | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(host)?.[1];
  return found && bare(found);
}

/** In lower case, without the brackets of IPv6 and the dot at the end of a name. */
function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function originHost(origin: string | readonly string[]): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(String(origin))?.[1]?.toLowerCase();
}
