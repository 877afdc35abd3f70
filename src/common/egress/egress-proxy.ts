import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type LookupFunction, type Socket } from 'node:net';
import { readAddress } from './address-ranges.js';
import { addressLiteral, type Destination, DestinationList } from './destination-list.js';
import type { ResolvedAddress, Resolver } from './resolver.js';
import { isUrl } from '../is-url.js';

export interface EgressProxyOptions {
  /** `http://[user:password@]host:port` or `https://…`. */
  readonly url: string;
  /** Hosts, addresses and networks that are called without it; the forms of {@link DestinationList}. */
  readonly noProxy: readonly string[];
  /** The proxy gets names instead of addresses; see {@link EgressProxy.resolves}. */
  readonly resolves: boolean;
  /** Certificates of authorities (PEM) that are trusted for a proxy at https. Default: Node's own. */
  readonly ca?: string;
}

/**
 * Why the proxy gave no connection: nothing answered at its address, not in time, it wants (other)
 * credentials, or it would not or could not connect to the destination.
 */
export type ProxyFault =
  | 'EGRESS_PROXY_UNREACHABLE'
  | 'EGRESS_PROXY_TIMEOUT'
  | 'EGRESS_PROXY_AUTH'
  | 'EGRESS_PROXY_REFUSED';

/** No tunnel. The message holds neither the proxy's address nor its credentials; the cause may. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';

  constructor(
    readonly code: ProxyFault,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/**
 * The operator's proxy for what leaves the hub, asked for a tunnel (`CONNECT`) for https and plain http
 * alike. Its own address is the operator's word and not subject to the guard.
 */
export class EgressProxy {
  /**
   * The proxy is given host names and resolves them, for networks in which the hub cannot. The hub then
   * cannot see what a name means, so it passes on no names but those in the allow-list.
   */
  readonly resolves: boolean;
  readonly secure: boolean;
  private readonly host: string;
  private readonly port: number;
  private readonly direct: DestinationList;
  private readonly credentials: string | undefined;
  private readonly ca: string | undefined;

  /** Throws an Error that names the setting that is wrong. */
  constructor(
    options: EgressProxyOptions,
    private readonly resolver: Resolver,
  ) {
    const url = proxyUrl(options.url);
    this.secure = url.protocol === 'https:';
    this.host = addressLiteral(url.hostname) ?? url.hostname;
    this.port = Number(url.port || (this.secure ? 443 : 80));
    this.direct = new DestinationList('egress.noProxy', options.noProxy);
    this.resolves = options.resolves;
    this.ca = options.ca;
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    this.credentials = user === ':' ? undefined : user;
  }

  /** What a gRPC channel needs to make the tunnel by itself: `user:password` included, if any. */
  get forChannels(): { readonly port: number; readonly credentials: string | undefined } {
    return { port: this.port, credentials: this.credentials };
  }

  /** The proxy's own addresses. Rejects with the resolver's error. */
  async addresses(): Promise<readonly ResolvedAddress[]> {
    const literal = addressLiteral(this.host);
    if (literal === undefined) return this.resolver.resolve(this.host);
    return [{ address: literal, family: literal.includes(':') ? 6 : 4 }];
  }

  /** Whether the destination is called without the proxy: its name is listed, or all its addresses are. */
  isBypassed(destination: Destination, addresses: readonly string[]): boolean {
    if (this.direct.hasHost(destination)) return true;
    return (
      addresses.length > 0 &&
      addresses.every((written) => {
        const address = readAddress(written);
        return address !== undefined && this.direct.hasAddress(address, destination.port);
      })
    );
  }

  /** A tunnel to `host:port`. Rejects with {@link ProxyError}, by the time `signal` is aborted. */
  tunnel(target: string, signal: AbortSignal): Promise<Socket> {
    const ask = this.secure ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = ask({
        method: 'CONNECT',
        host: this.host,
        port: this.port,
        path: target,
        headers: { host: target, ...this.authorization() },
        agent: false,
        ca: this.ca,
        lookup: this.lookup,
        signal,
      });
      request.once('connect', (answer, socket: Socket, head: Buffer) => {
        const refusal = refusalOf(answer.statusCode ?? 0);
        if (refusal !== undefined) {
          socket.on('error', () => undefined).destroy();
          return reject(refusal);
        }
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      });
      request.on('error', (error) =>
        reject(
          signal.aborted
            ? new ProxyError('EGRESS_PROXY_TIMEOUT', 'the egress proxy did not answer in time')
            : new ProxyError('EGRESS_PROXY_UNREACHABLE', 'no answer of the egress proxy', error),
        ),
      );
      request.end();
    });
  }

  private authorization(): Record<string, string> {
    if (this.credentials === undefined) return {};
    const encoded = Buffer.from(this.credentials).toString('base64');
    return { 'proxy-authorization': `Basic ${encoded}` };
  }

  /** By the hub's resolver, unguarded. */
  private readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.resolver.resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Error('the egress proxy has no address'), '');
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function refusalOf(status: number): ProxyError | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 407) {
    return new ProxyError('EGRESS_PROXY_AUTH', 'the egress proxy wants other credentials (407)');
  }
  return new ProxyError('EGRESS_PROXY_REFUSED', `the egress proxy answered ${status}`);
}

/** Throws an Error that does not repeat the value, which may hold a password. */
function proxyUrl(written: string): URL {
  const wrong =
    'egress.proxy: is not http://host:port or https://host:port, with or without a user';
  if (!isUrl(written)) throw new Error(wrong);
  const url = new URL(written);
  const bare = url.pathname === '/' && url.search === '' && url.hash === '';
  if (!/^https?:$/.test(url.protocol) || !bare) throw new Error(wrong);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new Error('egress.proxy: its user or password is not percent-encoded');
  }
  return url;
}
