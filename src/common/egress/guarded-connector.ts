import { type LookupFunction, isIPv6, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { ConnectError, denied, isDenial } from './connect-error.js';
import { addressLiteral, type Destination } from './destination-list.js';
import { type EgressProxy, ProxyError } from './egress-proxy.js';
import { hasFileLeft, hasNoFile } from './open-files.js';
import { destinationOf, type EgressPolicy } from './guard.js';
import type { ResolvedAddress, Resolver } from './resolver.js';

export interface ConnectOptions {
  /** For name, proxy, TCP and TLS together. */
  readonly timeoutMs: number;
  /** Undefined: Node's own. */
  readonly secureContext: SecureContext | undefined;
}

/** Where a connection goes: to the first of these that answers, or through the proxy to one of these. */
export type Way =
  | { readonly kind: 'direct'; readonly addresses: readonly ResolvedAddress[] }
  | {
      readonly kind: 'proxy';
      /** `host:port` of each address, or of the name that the proxy resolves. */
      readonly targets: readonly string[];
      /** False: a name, whose addresses the hub does not see. */
      readonly checked: boolean;
    };

/** Of a name with more, all are checked and these are tried. */
const ADDRESSES_TRIED = 8;
const TUNNELS_TRIED = 3;
/** How long a connection waits for a file descriptor before it asks for one again. */
const NO_FILE_PAUSE_MS = 200;

type Connected = Parameters<buildConnector.Callback>;

/**
 * Opens connections, each one to an address that passed the policy. While the process has no file
 * descriptor left a connection waits for one, however long: that says nothing of the other side.
 */
export class GuardedConnector {
  private closed = false;
  /** Connections that wait for a file descriptor. */
  private withoutFile = 0;

  constructor(
    private readonly policy: EgressPolicy,
    private readonly resolver: Resolver,
    private readonly proxy: EgressProxy | undefined,
    private readonly filesLeft: () => boolean = hasFileLeft,
  ) {}

  /** undici's connector for one origin with the policy in front of it. */
  readonly connectorTo = (origin: URL, options: ConnectOptions): buildConnector.connector => {
    const destination = destinationOf(origin);
    const connect =
      this.proxy === undefined
        ? this.directly(destination, options)
        : this.proxied(this.proxy, destination, options);
    return (target, callback) => {
      const attempt = (): void =>
        connect(target, (...[error, socket]: Connected) => {
          if (error === null) callback(null, socket);
          else if (isDenial(error)) callback(error, null);
          else if (hasNoFile(error) && !this.closed) this.later(attempt);
          else callback(new ConnectError(origin.origin, error), null);
        });
      attempt();
    };
  };

  get lacksFiles(): boolean {
    return this.withoutFile > 0;
  }

  /** Nothing waits for a file descriptor any more. */
  close(): void {
    this.closed = true;
  }

  /**
   * Whether a connection, which another library made and which failed with `error`, should be tried again,
   * because there was no file descriptor for it: true after a pause. That library may not say why it failed, so one
   * counts as well that fails while there is none.
   */
  async afterNoFile(error: unknown): Promise<boolean> {
    if (this.closed || (!hasNoFile(error) && this.filesLeft())) return false;
    await new Promise<void>((resolve) => this.later(resolve));
    return !this.closed;
  }

  private later(attempt: () => void): void {
    this.withoutFile += 1;
    setTimeout(() => {
      this.withoutFile -= 1;
      attempt();
    }, NO_FILE_PAUSE_MS);
  }

  /**
   * The way to the destination now, its addresses checked. Rejects with EGRESS_DENIED or the resolver's
   * error.
   */
  async wayTo(destination: Destination): Promise<Way> {
    const { proxy } = this;
    const { hostname, port } = destination;
    const literal = addressLiteral(hostname);
    if (proxy?.resolves === true && literal === undefined && !proxy.isBypassed(destination, [])) {
      if (!this.policy.allowsName(destination)) {
        throw denied(originOf(destination), nameUnseen(this.policy.setting));
      }
      return { kind: 'proxy', targets: [`${hostname}:${port}`], checked: false };
    }
    const addresses = await this.checked(destination);
    const bare = addresses.map(({ address }) => address);
    if (proxy === undefined || proxy.isBypassed(destination, bare)) {
      return { kind: 'direct', addresses };
    }
    // Proxies without IPv6 are common, and none is without IPv4.
    const sorted = [...addresses].sort((a, b) => a.family - b.family);
    return { kind: 'proxy', targets: sorted.map((one) => authorityOf(one, port)), checked: true };
  }

  private async checked(
    destination: Destination,
  ): Promise<readonly [ResolvedAddress, ...ResolvedAddress[]]> {
    const { hostname } = destination;
    const literal = addressLiteral(hostname);
    const [first, ...others] =
      literal === undefined ? await this.resolver.resolve(hostname) : [asResolved(literal)];
    if (first === undefined) {
      throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    }
    const refusal = this.policy.refusalOf(
      destination,
      [first, ...others].map(({ address }) => address),
    );
    if (refusal !== undefined) throw denied(originOf(destination), refusal);
    return [first, ...others.slice(0, ADDRESSES_TRIED - 1)];
  }

  /** Node asks `lookup` for names only, so an address in the URL is checked before. */
  private directly(destination: Destination, options: ConnectOptions): buildConnector.connector {
    const connect = buildConnector({
      ...tlsOf(options),
      timeout: options.timeoutMs,
      lookup: lookupOf(() => this.checked(destination)),
    });
    const literal = addressLiteral(destination.hostname);
    if (literal === undefined) return connect;
    return (target, callback) => {
      const refusal = this.policy.refusalOf(destination, [literal]);
      if (refusal === undefined) return connect(target, callback);
      callback(denied(originOf(destination), refusal), null);
    };
  }

  private proxied(
    proxy: EgressProxy,
    destination: Destination,
    options: ConnectOptions,
  ): buildConnector.connector {
    return (target, callback) => {
      const deadline = performance.now() + options.timeoutMs;
      const left = (): number => Math.max(1, deadline - performance.now());
      const signal = AbortSignal.timeout(options.timeoutMs);
      const connect = async (): Promise<void> => {
        const way = await unlessLate(this.wayTo(destination), options.timeoutMs);
        const limits = { ...tlsOf(options), timeout: left() };
        if (way.kind === 'direct') {
          const lookup = lookupOf(() => Promise.resolve(way.addresses));
          return buildConnector({ ...limits, lookup })(target, callback);
        }
        const socket = await tunnelTo(proxy, way.targets, signal);
        socket.setNoDelay(true).setKeepAlive(true, 60_000);
        if (destination.protocol === 'http:') return callback(null, socket);
        buildConnector({ ...limits, timeout: left() })({ ...target, httpSocket: socket }, callback);
      };
      connect().catch((error: Error) => callback(error, null));
    };
  }
}

function nameUnseen(setting: string): string {
  return `the egress proxy resolves names, so only hosts in ${setting} can be called`;
}

async function tunnelTo(
  proxy: EgressProxy,
  targets: readonly string[],
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const target of targets.slice(0, TUNNELS_TRIED)) {
    try {
      return await proxy.tunnel(target, signal);
    } catch (error) {
      failure = error;
      if (!(error instanceof ProxyError) || error.code !== 'EGRESS_PROXY_REFUSED') break;
    }
  }
  throw failure;
}

function tlsOf({ secureContext }: ConnectOptions): { secureContext?: SecureContext } {
  return secureContext === undefined ? {} : { secureContext };
}

/** Gives a connection nothing but these addresses. */
function lookupOf(ask: () => Promise<readonly ResolvedAddress[]>): LookupFunction {
  return (_hostname, options, callback) => {
    ask().then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) callback(new Error('no address'), '');
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** A question to a resolver cannot be taken back, only left: rejects with a connect timeout. */
export function unlessLate<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void =>
      reject(
        Object.assign(new Error('the name took too long'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      );
    const timer = setTimeout(late, timeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function asResolved(literal: string): ResolvedAddress {
  return { address: literal, family: isIPv6(literal) ? 6 : 4 };
}

function originOf({ protocol, hostname, port }: Destination): string {
  const usual = port === (protocol === 'https:' ? 443 : 80);
  return `${protocol}//${hostname}${usual ? '' : `:${port}`}`;
}

function authorityOf({ address, family }: ResolvedAddress, port: number): string {
  return family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}
