import { lookup } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { HubError } from '../hub-error.js';
import { addressLiteral, type Destination, destinationOf, EgressPolicy } from './guard.js';

/** One address of a host. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Turns host names into addresses; rejects when a name has none. */
export interface Resolver {
  resolve(hostname: string): Promise<readonly ResolvedAddress[]>;
}

export interface EgressOptions {
  /** What may be called besides public https; see {@link EgressPolicy} for the forms. */
  readonly allow: readonly string[];
  /** Default: the operating system's resolver. */
  readonly resolver?: Resolver;
  /**
   * Connections per origin; requests beyond wait. Default 512: above the delegations one process
   * runs at once, so that a cancel never queues behind the streams it should end.
   */
  readonly maxConnectionsPerOrigin?: number;
}

export interface EgressRequest {
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
}

/** An answer whose body is still to be read: by `readText`, or given up by `discard` (read-body.ts). */
export type EgressResponse = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

const CONNECT_TIMEOUT_MS = 5000;
const ANSWER_TIMEOUT_MS = 30_000;
const CONNECTIONS_PER_ORIGIN = 512;
const KNOWN_URLS = 1000;

/** Codes that say of a host and port that nobody is there, whatever is spoken. */
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

/** Answers that have no body by definition; `Response` refuses one. */
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * No connection was made, so nothing was sent. `code` is the cause's (`ECONNREFUSED`, `ENOTFOUND`,
 * `UND_ERR_CONNECT_TIMEOUT`, `CERT_HAS_EXPIRED` …).
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

/**
 * The only way out of the hub. Every connection is checked against the {@link EgressPolicy} when it
 * is made, with the addresses it is really made to, so that a name that resolves to something else
 * than at registration is refused as well. Redirects are never followed.
 */
export class Egress {
  private readonly policy: EgressPolicy;
  private readonly resolver: Resolver;
  private readonly connections: number;
  /** undici sets the connect timeout per pool, so there is one agent per timeout in use. */
  private readonly agents = new Map<number, Agent>();
  /** URLs that passed the policy, which never changes: most requests go to few. */
  private readonly parsed = new Map<string, URL>();

  /** Throws an Error that names the entry of `allow` that is wrong. */
  constructor(options: EgressOptions) {
    this.policy = new EgressPolicy(options.allow);
    this.resolver = options.resolver ?? SYSTEM_RESOLVER;
    this.connections = options.maxConnectionsPerOrigin ?? CONNECTIONS_PER_ORIGIN;
  }

  /**
   * Checks a URL that is to be called later. Throws HubError EGRESS_DENIED saying why it is
   * refused. `verified` is false when the host does not resolve now: it is checked again at every
   * connection.
   */
  async check(url: string): Promise<{ verified: boolean }> {
    const parsed = this.parse(url);
    if (addressLiteral(parsed.hostname) !== undefined) return { verified: true };
    let addresses: readonly ResolvedAddress[];
    try {
      addresses = await this.resolver.resolve(parsed.hostname);
    } catch {
      return { verified: false };
    }
    const destination = destinationOf(parsed);
    const refusal = this.policy.refusalOf(
      destination,
      addresses.map(({ address }) => address),
    );
    if (refusal !== undefined) throw denied(parsed.origin, refusal);
    return { verified: addresses.length > 0 };
  }

  /**
   * The addresses a connection to this http(s) URL may be made to now, each one checked: for clients
   * that connect by themselves (gRPC). They ask again whenever they look the name up. Rejects with
   * HubError EGRESS_DENIED, and with {@link ConnectError} when the name has no address.
   */
  async addressesOf(url: string): Promise<readonly ResolvedAddress[]> {
    const parsed = this.parse(url);
    const literal = addressLiteral(parsed.hostname);
    if (literal !== undefined) return [{ address: literal, family: isIPv6(literal) ? 6 : 4 }];
    try {
      return await this.resolveChecked(destinationOf(parsed), parsed.hostname);
    } catch (error) {
      throw isDenial(error) ? error : new ConnectError(parsed.origin, error);
    }
  }

  /**
   * One request. Rejects with HubError EGRESS_DENIED when the address is refused, with
   * {@link ConnectError} when there is no connection, and with undici's error for what happens
   * after (the request may have been received then).
   */
  async request(url: string, options: EgressRequest): Promise<EgressResponse> {
    const parsed = this.parse(url);
    const agent = this.agentFor(options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS);
    return agent.request({
      origin: parsed.origin,
      path: `${parsed.pathname}${parsed.search}`,
      method: options.method,
      headers: options.headers as Record<string, string>,
      body: options.body ?? null,
      signal: options.signal ?? null,
      headersTimeout: options.headersTimeoutMs ?? ANSWER_TIMEOUT_MS,
      bodyTimeout: options.bodyTimeoutMs ?? ANSWER_TIMEOUT_MS,
    });
  }

  /**
   * {@link request} in the form of `fetch`, for libraries that take one. It differs from `fetch` in
   * that a redirect is an answer like any other and the answer has no `url`.
   */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const answer = await this.request(request.url, {
      method: request.method as EgressRequest['method'],
      headers: Object.fromEntries(request.headers),
      ...(body === undefined ? {} : { body }),
      signal: request.signal,
      bodyTimeoutMs: 0,
    });
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
  };

  /** Cuts what is open and frees all connections. */
  async close(): Promise<void> {
    const agents = [...this.agents.values()];
    this.agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  /** The URL, unless it can never be called. */
  private parse(url: string): URL {
    const known = this.parsed.get(url);
    if (known !== undefined) return known;
    if (!URL.canParse(url)) throw denied('the address', 'it is not an absolute URL');
    const parsed = new URL(url);
    const refusal = this.policy.refusalOfUrl(parsed);
    if (refusal !== undefined) throw denied(`${parsed.protocol}//${parsed.host}`, refusal);
    if (this.parsed.size >= KNOWN_URLS) this.parsed.clear();
    this.parsed.set(url, parsed);
    return parsed;
  }

  private agentFor(connectTimeoutMs: number): Agent {
    let agent = this.agents.get(connectTimeoutMs);
    if (agent === undefined) {
      agent = new Agent({
        factory: (origin) =>
          new Pool(origin, {
            connections: this.connections,
            connect: this.connectorTo(new URL(origin), connectTimeoutMs),
            // uvicorn closes idle connections after 5 s without announcing it; be earlier.
            keepAliveTimeout: 4000,
          }),
      });
      this.agents.set(connectTimeoutMs, agent);
    }
    return agent;
  }

  /**
   * undici's connector for one origin with the policy in front of it. Node asks `lookup` for names
   * only, so an address in the URL is checked here.
   */
  private connectorTo(origin: URL, timeout: number): buildConnector.connector {
    const destination = destinationOf(origin);
    const connect = buildConnector({ timeout, lookup: this.lookupFor(destination) });
    return (options, callback) => {
      const literal = addressLiteral(destination.hostname);
      const refusal =
        literal === undefined ? undefined : this.policy.refusalOf(destination, [literal]);
      if (refusal !== undefined) return callback(denied(origin.origin, refusal), null);
      connect(options, (...[error, socket]: buildConnector.CallbackArgs) => {
        if (error === null) callback(null, socket);
        else callback(isDenial(error) ? error : new ConnectError(origin.origin, error), null);
      });
    };
  }

  /** Resolves the origin's name and gives the connection nothing but addresses that were checked. */
  private lookupFor(destination: Destination): LookupFunction {
    return (hostname, options, callback) => {
      this.resolveChecked(destination, hostname).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    };
  }

  private async resolveChecked(
    destination: Destination,
    hostname: string,
  ): Promise<readonly [ResolvedAddress, ...ResolvedAddress[]]> {
    const [first, ...others] = await this.resolver.resolve(hostname);
    if (first === undefined) {
      throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    }
    const addresses = [first, ...others] as const;
    const refusal = this.policy.refusalOf(
      destination,
      addresses.map(({ address }) => address),
    );
    if (refusal === undefined) return addresses;
    throw denied(`${destination.protocol}//${destination.hostname}`, refusal);
  }
}

const SYSTEM_RESOLVER: Resolver = {
  resolve: async (hostname) => (await lookup(hostname, { all: true })) as ResolvedAddress[],
};

function denied(what: string, why: string): HubError {
  return new HubError('EGRESS_DENIED', `${what} may not be called: ${why}`);
}

function isDenial(error: unknown): boolean {
  return error instanceof HubError && error.reason === 'EGRESS_DENIED';
}

/** The code of a system or undici error; with several addresses tried, of the first failure. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string' && code !== '') return code;
  return errors?.map(codeOf).find((one) => one !== undefined);
}
