import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  credentials,
  experimental,
  Metadata,
  status,
} from '@grpc/grpc-js';
import { addressLiteral } from './destination-list.js';
import type { TlsChoice } from './tls-choice.js';
import type { ChannelWay, Egress, ProxiedWay, ResolvedAddress } from './egress.js';

/** The scheme of targets that {@link GuardedResolver} resolves; grpc-js keeps them by this name. */
const SCHEME = 'a2a-hub-egress';
/** Where a channel keeps its {@link Guard}; what begins like this is no part of a connection's identity. */
const GUARD = `${experimental.SUBCHANNEL_ARGS_EXCLUDE_KEY_PREFIX}.a2a_hub_egress`;
/** The least time between two looks at a name. */
const LOOK_PAUSE_MS = 1000;
/** A connection that carried no call for so long is closed; the next call makes another. */
const IDLE_MS = 5 * 60 * 1000;

interface Guard {
  readonly egress: Egress;
  /** The http(s) URL that the policy judges. */
  readonly url: string;
  /** The `host:port` its proxy is asked to connect to; undefined without one. */
  readonly target: string | undefined;
  /** Why the last look gave no address. */
  failure: unknown;
}

/** A gRPC client whose connections pass the egress guard. */
export interface GuardedClient {
  readonly client: Client;
  /** Why its host has no address it may be called at; undefined when it has one, or none was asked for. */
  refusal(): unknown;
}

/**
 * A gRPC client to the host and port of an http(s) URL, TLS for https. It connects to nothing but
 * addresses that the {@link Egress} gave at that moment, an address in the URL included; proxies of
 * the environment and service configs from DNS are not used. It connects with its first call.
 *
 * With a `way` that leads through the egress proxy it asks that for a tunnel to the first target of the
 * way, for as long as the guard still gives that target for the URL.
 */
export function guardedClient(
  egress: Egress,
  url: string,
  options: Pick<ChannelOptions, 'grpc.max_receive_message_length'>,
  way?: ChannelWay,
  tls: TlsChoice = {},
): GuardedClient {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  const target = way?.kind === 'proxy' ? way.targets[0] : undefined;
  const guard: Guard = { egress, url, target, failure: undefined };
  const client = new Client(
    `${SCHEME}:${hostname}:${port || (secure ? '443' : '80')}`,
    secure ? sslOf(tls) : credentials.createInsecure(),
    {
      ...options,
      ...(way?.kind === 'proxy' ? tunnelOptions(way, hostname) : {}),
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_channelz': 0,
      'grpc.client_idle_timeout_ms': IDLE_MS,
      [GUARD]: guard,
    },
  );
  return { client, refusal: () => guard.failure };
}

function sslOf({ clientCertificate, ca }: TlsChoice): ChannelCredentials {
  const { certificate, key } = clientCertificate ?? {};
  const [roots, privateKey, chain] = [ca, key, certificate].map((pem) =>
    pem === undefined ? null : Buffer.from(pem),
  );
  return credentials.createSsl(roots, privateKey, chain);
}

/** What makes grpc-js ask for a tunnel, and check the certificate against the name all the same. */
function tunnelOptions({ targets, proxy }: ProxiedWay, hostname: string): ChannelOptions {
  return {
    'grpc.http_connect_target': `dns:${targets[0]}`,
    'grpc.ssl_target_name_override': addressLiteral(hostname) ?? hostname,
    ...(proxy.credentials === undefined ? {} : { 'grpc.http_connect_creds': proxy.credentials }),
  };
}

/** What a channel may connect to on this way; throws when it was made for another one. */
function placesOf(
  way: ChannelWay,
  target: string | undefined,
  port: number,
): readonly (readonly [ResolvedAddress, number])[] {
  if (way.kind === 'direct' && target === undefined) {
    return way.addresses.map((address) => [address, port] as const);
  }
  if (way.kind === 'proxy' && target !== undefined && way.targets.includes(target)) {
    return way.proxy.addresses.map((address) => [address, way.proxy.port] as const);
  }
  throw Object.assign(new Error('the host has moved'), { code: 'ECONNFAILED' });
}

/** Resolves by the egress guard: what it does not give, a channel cannot connect to. */
class GuardedResolver implements experimental.Resolver {
  private readonly guard: Guard | undefined;
  private readonly port: number;
  private pause: NodeJS.Timeout | undefined;
  private retryRequested = false;
  /** Raised by `destroy`, so that an answer that comes later is dropped. */
  private life = 0;

  constructor(
    target: experimental.GrpcUri,
    private readonly listener: experimental.ResolverListener,
    options: ChannelOptions,
  ) {
    this.guard = options[GUARD] as Guard | undefined;
    this.port = Number(target.path.slice(target.path.lastIndexOf(':') + 1));
  }

  static getDefaultAuthority(target: experimental.GrpcUri): string {
    return target.path;
  }

  updateResolution(): void {
    if (this.pause !== undefined) {
      this.retryRequested = true;
      return;
    }
    this.pause = setTimeout(() => this.pauseOver(), LOOK_PAUSE_MS);
    this.pause.unref();
    void this.resolve(this.life);
  }

  destroy(): void {
    this.life++;
    clearTimeout(this.pause);
    this.pause = undefined;
    this.retryRequested = false;
  }

  private pauseOver(): void {
    this.pause = undefined;
    if (!this.retryRequested) return;
    this.retryRequested = false;
    this.updateResolution();
  }

  private async resolve(life: number): Promise<void> {
    const answer = await this.endpoints();
    if (life === this.life) this.listener(answer, {}, null, '');
  }

  private async endpoints(): Promise<experimental.StatusOr<experimental.Endpoint[]>> {
    const { guard, port } = this;
    try {
      if (guard === undefined) throw new Error('a channel without an egress guard');
      const places = placesOf(await guard.egress.wayOf(guard.url), guard.target, port);
      guard.failure = undefined;
      return experimental.statusOrFromValue(
        places.map(([{ address }, at]) => ({ addresses: [{ host: address, port: at }] })),
      );
    } catch (error) {
      if (guard !== undefined) guard.failure = error;
      const details = (error as Error).message;
      return experimental.statusOrFromError({
        code: status.UNAVAILABLE,
        details,
        metadata: new Metadata(),
      });
    }
  }
}

experimental.registerResolver(SCHEME, GuardedResolver);
