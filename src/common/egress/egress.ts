import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { PieceCount } from '../small-pieces.js';
import { ConnectError, denied, isDenial } from './connect-error.js';
import { EgressProxy, type EgressProxyOptions, ProxyError } from './egress-proxy.js';
import { destinationOf, EgressPolicy } from './guard.js';
import { GuardedConnector, unlessLate, type Way } from './guarded-connector.js';
import { Pools } from './pools.js';
import { discard, type EgressResponse } from './read-body.js';
import { type ResolvedAddress, type Resolver, SystemResolver } from './resolver.js';
import { secureContextOf, type TlsChoice } from './tls-choice.js';

export { ConnectError } from './connect-error.js';
export type { EgressResponse } from './read-body.js';
export type { ResolvedAddress, Resolver } from './resolver.js';

export interface EgressOptions {
  /** What may be called besides public https; see {@link EgressPolicy} for the forms. */
  readonly allow: readonly string[];
  /** The setting `allow` is from, for messages. Default: `egress.allow`. */
  readonly setting?: string;
  /** Ports that need no entry of their own in `allow`, although `blocked-ports.ts` has them. */
  readonly openPorts?: readonly number[];
  /** What connections go through. Default: nothing; proxies of the environment are never used. */
  readonly proxy?: EgressProxyOptions;
  /** Whether a URL is of this hub itself, which then may not be registered. Default: none is. */
  readonly isOwn?: (url: string) => boolean;
  /** Default: the operating system's resolver. */
  readonly resolver?: Resolver;
  /** For tests; whether this process can open another file descriptor now. */
  readonly hasFileLeft?: () => boolean;
}

/** One request. The choices of TLS need an https URL. */
export interface EgressRequest extends TlsChoice {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** Milliseconds for name, TCP and TLS together. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds from the sent request to its answer's headers; 0 is no limit. Default 30000. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds between two pieces of the body; 0 is no limit. Default 30000. */
  readonly bodyTimeoutMs?: number;
  /** Called when the request is on a connection and about to be written. */
  readonly onSent?: () => void;
}

/** A connection without HTTP. */
export interface EgressConnection extends TlsChoice {
  readonly signal?: AbortSignal;
  /** Milliseconds for name, TCP and TLS together. Default 5000. */
  readonly connectTimeoutMs?: number;
}

/** The options of an operator's settings. */
export function egressOptions(settings: EgressSettings): EgressOptions {
  const { allow, openPorts, proxy: url, noProxy, proxyResolves: resolves, proxyCa } = settings;
  if (url === null) return { allow, openPorts };
  const ca = proxyCa === null ? {} : { ca: proxyCa };
  return { allow, openPorts, proxy: { url, noProxy, resolves, ...ca } };
}

/** The settings `egress.*`. */
export interface EgressSettings {
  readonly allow: readonly string[];
  readonly openPorts: readonly number[];
  readonly proxy: string | null;
  readonly noProxy: readonly string[];
  readonly proxyResolves: boolean;
  readonly proxyCa: string | null;
}

export interface ClassifiedResponse {
  readonly answer: EgressResponse;
  /** Public https would not reach it: an operator's list opens it. */
  readonly isListed: boolean;
}

/** What {@link Egress.fetchWith} sets. */
export type FetchDefaults = Omit<
  EgressRequest,
  'method' | 'headers' | 'body' | 'signal' | 'onSent'
>;

/** `fetch` without requests made before: see {@link Egress.fetch}. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** {@link Way} for a client that makes its tunnel by itself. */
export type ChannelWay = DirectWay | ProxiedWay;
type DirectWay = Extract<Way, { kind: 'direct' }>;
export interface ProxiedWay extends Extract<Way, { kind: 'proxy' }> {
  readonly proxy: {
    readonly addresses: readonly ResolvedAddress[];
    readonly port: number;
    /** `user:password`. */
    readonly credentials: string | undefined;
  };
}

const GRPC_BEHIND_HTTPS_PROXY =
  'gRPC cannot use an egress proxy at an https address; give it an http one, or list the host in egress.noProxy';
const CONNECT_TIMEOUT_MS = 5000;
/** A name that there is not (RFC 6761 §6.4). */
const NOWHERE = 'a2a-hub.invalid:443';
/**
 * Bytes of an answer that wait until they are read. Each HTTP chunk waits as an object of its own: of one byte each, 64 KiB of them
 * would take seven MiB.
 */
const READ_AHEAD = 4096;
const ANSWER_TIMEOUT_MS = 30_000;
const KNOWN_URLS = 1000;

/** HTTP has none above it (RFC 9110 §15), and `Response` takes none. */
const MAX_STATUS = 599;
/** Answers that have no body by definition; `Response` refuses one. */
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The only way out of the hub. Every connection is checked against the {@link EgressPolicy} when it
 * is made, with the addresses it is really made to, so that a name that resolves to something else
 * than at registration is refused as well. Redirects are never followed.
 */
export class Egress {
  private readonly policy: EgressPolicy;
  private readonly proxy: EgressProxy | undefined;
  private readonly connector: GuardedConnector;
  private readonly pools: Pools;
  private readonly isOwn: (url: string) => boolean;
  /** The same without the list. */
  private readonly open: Egress | undefined;
  /** URLs that passed the policy, which never changes: most requests go to few. */
  private readonly parsed = new Map<string, URL>();

  /** Throws an Error that names the setting and its entry that is wrong. */
  constructor(options: EgressOptions) {
    const { allow, openPorts, setting, proxy, isOwn, resolver = new SystemResolver() } = options;
    this.policy = new EgressPolicy(allow, openPorts, setting);
    this.proxy = proxy && new EgressProxy(proxy, resolver);
    this.connector = new GuardedConnector(this.policy, resolver, this.proxy, options.hasFileLeft);
    this.pools = new Pools(this.connector.connectorTo);
    this.isOwn = isOwn ?? (() => false);
    this.open = allow.length === 0 ? undefined : new Egress({ ...options, allow: [] });
  }

  /**
   * Checks a URL that is to be called later, over HTTP or by a gRPC channel. Throws HubError
   * EGRESS_DENIED saying why it is refused. `verified` is false when the host's addresses could not be
   * seen: it does not resolve now (within 5 s), or only the egress proxy resolves it. It is checked again
   * at every connection.
   */
  async check(url: string, use: 'http' | 'grpc' = 'http'): Promise<{ verified: boolean }> {
    const parsed = this.parse(url);
    if (this.isOwn(url)) throw denied(parsed.origin, 'it is this hub itself');
    try {
      const requested =
        use === 'http' ? this.connector.wayTo(destinationOf(parsed)) : this.wayOf(url);
      const way = await unlessLate(requested, CONNECT_TIMEOUT_MS);
      return { verified: way.kind === 'direct' || way.checked };
    } catch (error) {
      if (isDenial(error)) throw error;
      return { verified: false };
    }
  }

  /**
   * Where a gRPC channel to this http(s) URL may connect to now. A channel asks again whenever it looks
   * the name up. Rejects with HubError EGRESS_DENIED, and with {@link ConnectError} when the name, or the
   * proxy's, has no address.
   */
  async wayOf(url: string): Promise<ChannelWay> {
    const parsed = this.parse(url);
    try {
      const way = await this.connector.wayTo(destinationOf(parsed));
      if (way.kind === 'direct') return way;
      if (this.proxy === undefined) throw new Error('a way through a proxy without one');
      if (this.proxy.secure) throw denied(parsed.origin, GRPC_BEHIND_HTTPS_PROXY);
      const addresses = await this.proxy.addresses();
      return { ...way, proxy: { addresses, ...this.proxy.forChannels } };
    } catch (error) {
      throw isDenial(error) ? error : new ConnectError(parsed.origin, error);
    }
  }

  /**
   * One request. Rejects with HubError EGRESS_DENIED when the address is refused, with
   * {@link ConnectError} when there is no connection, with the signal's reason as soon as that is
   * aborted, and with undici's error for what happens after (the request may have been received then).
   */
  async request(url: string, options: EgressRequest): Promise<EgressResponse> {
    const parsed = this.parse(url);
    const { signal } = options;
    signal?.throwIfAborted();
    if (options.clientCertificate !== undefined && parsed.protocol !== 'https:') {
      throw denied(parsed.origin, 'a client certificate needs https');
    }
    const agent = this.pools.of(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, options);
    const pieces = new PieceCount();
    const answer = agent.request({
      origin: parsed.origin,
      path: `${parsed.pathname}${parsed.search}`,
      method: options.method,
      headers: options.headers as Record<string, string>,
      body: options.body ?? null,
      signal: signal ?? null,
      headersTimeout: options.headersTimeoutMs ?? ANSWER_TIMEOUT_MS,
      bodyTimeout: options.bodyTimeoutMs ?? ANSWER_TIMEOUT_MS,
      highWaterMark: READ_AHEAD,
      ...(options.onSent !== undefined && { onSent: options.onSent }),
      pieces,
    } as Dispatcher.RequestOptions);
    const given = await (signal === undefined ? answer : unlessAborted(answer, signal));
    return Object.assign(given, { pieces });
  }

  /**
   * A connection for a protocol that is not HTTP, to `tls://host:port` or `tcp://host:port`. The policy is that for https, and
   * for plain http. Rejects as {@link request} does, with whoever gets it to close it.
   */
  async connect(
    url: string,
    { signal, connectTimeoutMs = CONNECT_TIMEOUT_MS, ...choice }: EgressConnection,
  ): Promise<Socket> {
    const parsed = this.parse(url.replace(/^tls:/i, 'https:').replace(/^tcp:/i, 'http:'));
    signal?.throwIfAborted();
    const secureContext = secureContextOf(choice);
    const connect = this.connector.connectorTo(parsed, {
      timeoutMs: connectTimeoutMs,
      secureContext,
    });
    const { protocol, host, port } = parsed;
    const hostname = parsed.hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(signal!.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
      connect({ protocol, host, hostname, port }, (error, socket) => {
        signal?.removeEventListener('abort', abort);
        if (error !== null) reject(error);
        else if (signal?.aborted) socket.destroy();
        else resolve(socket);
      });
    });
  }

  /**
   * {@link request}, and whether nothing but the list of what is allowed opens the address, or the name's
   * addresses now: what is said there may be for nobody outside. Decided of the very connection that is used.
   */
  async requestClassified(url: string, options: EgressRequest): Promise<ClassifiedResponse> {
    if (this.open === undefined)
      return { answer: await this.request(url, options), isListed: false };
    try {
      return { answer: await this.open.request(url, options), isListed: false };
    } catch (error) {
      if (!isDenial(error)) throw error;
      return { answer: await this.request(url, options), isListed: true };
    }
  }

  /**
   * {@link request} in the form of `fetch`, for libraries that take one. It differs from `fetch` in
   * that a redirect is an answer like any other and the answer has no `url`. The signal is that of `init`, and
   * holds until the body has been read; between two pieces of that pass 30 s at most. An answer with a status above 599
   * is closed, and rejected with an Error that names it.
   */
  readonly fetch: Fetch = (url, init) => this.fetched(url, init, {});

  /** {@link fetch} with these for every request: for token calls that show a certificate. */
  fetchWith(defaults: FetchDefaults): Fetch {
    return (url, init) => this.fetched(url, init, defaults);
  }

  /** Why no tunnel can be had of the egress proxy now, in words; null when it answers, or there is none. */
  async proxyFault(): Promise<string | null> {
    if (this.proxy === undefined) return null;
    try {
      // It need not know the name: a proxy that says so is there.
      const socket = await this.proxy.tunnel(NOWHERE, AbortSignal.timeout(CONNECT_TIMEOUT_MS));
      socket.destroy();
      return null;
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      return error.code === 'EGRESS_PROXY_REFUSED' ? null : error.message;
    }
  }

  /** Whether connections wait for file descriptors of this process. */
  get lacksFiles(): boolean {
    return this.connector.lacksFiles || this.open?.lacksFiles === true;
  }

  /**
   * For a client that makes its connections by itself: whether the one that failed with `error` failed for
   * want of a file descriptor of this process, which says nothing of the other side. Resolves true after a
   * moment, when it may be tried again.
   */
  afterNoFile(error: unknown): Promise<boolean> {
    return this.connector.afterNoFile(error);
  }

  /** Cuts what is open and frees all connections. */
  async close(): Promise<void> {
    this.connector.close();
    await Promise.all([this.pools.close(), this.open?.close()]);
  }

  private async fetched(
    url: string,
    { signal, ...init }: RequestInit = {},
    defaults: FetchDefaults,
  ): Promise<Response> {
    // A Request has a signal of its own, which is collected with it: before the body has come.
    const request = new Request(url, init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const answer = await this.request(request.url, {
      ...defaults,
      method: request.method as EgressRequest['method'],
      headers: Object.fromEntries(request.headers),
      ...(body === undefined ? {} : { body }),
      ...(signal && { signal }),
    });
    if (answer.statusCode > MAX_STATUS) {
      discard(answer.body);
      throw new Error(`the answer has the status ${answer.statusCode}, which is none of HTTP`);
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
    }
    if (NULL_BODY_STATUSES.has(answer.statusCode)) {
      await answer.body.dump();
      return new Response(null, { status: answer.statusCode, headers });
    }
    const stream = Readable.toWeb(answer.body) as ReadableStream<Uint8Array>;
    return new Response(stream, { status: answer.statusCode, headers });
  }

  /** The URL, unless it can never be called. */
  private parse(url: string): URL {
    const known = this.parsed.get(url);
    if (known !== undefined) return known;
    const unreadable = this.policy.refusalOfText(url);
    if (unreadable !== undefined) throw denied('the address', unreadable);
    const parsed = new URL(url);
    const refusal = this.policy.refusalOfUrl(parsed);
    if (refusal !== undefined) throw denied(`${parsed.protocol}//${parsed.host}`, refusal);
    if (this.parsed.size >= KNOWN_URLS) this.parsed.clear();
    this.parsed.set(url, parsed);
    return parsed;
  }
}

/**
 * undici reacts to a signal only once there is a connection; a name that does not resolve must not hold the
 * caller longer than it wants to wait.
 */
function unlessAborted(
  answer: Promise<EgressResponse>,
  signal: AbortSignal,
): Promise<EgressResponse> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
      answer.then(
        ({ body }) => discard(body),
        () => undefined,
      );
    };
    signal.addEventListener('abort', abort, { once: true });
    const forget = (): void => signal.removeEventListener('abort', abort);
    answer.then(
      (given) => {
        forget();
        resolve(given);
      },
      (error: Error) => {
        forget();
        reject(error);
      },
    );
  });
}
