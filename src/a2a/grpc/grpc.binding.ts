import { promisify } from 'node:util';
import { Server, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Draining } from '../../common/draining.js';
import { Log } from '../../common/logger.js';
import { AppConfig, GrpcAddress, ListenerTls } from '../../config/index.js';
import { checkListed } from '../capabilities.js';
import { GrpcCalls } from './grpc-calls.js';
import { GrpcHealth } from './grpc-health.js';
import { GrpcObserver } from './grpc-observer.js';
import { type GrpcService, SERVICE_NAMES } from './grpc-service.js';
import { MAX_SEND_BYTES } from './large-answer.js';
import { showRepeatedCredentials } from './repeated-credentials.js';
import { serverCredentials } from './server-credentials.js';
import { V0GrpcService } from './v0-service.js';
import { V1GrpcService } from './v1-service.js';

/** What is over the limit by less than this is read, so that the hub refuses it with details. */
const RECEIVE_FACTOR = 2;
/** Calls that are open on one connection at once; a client waits with others. */
const MAX_STREAMS_OF_CONNECTION = 10_000;
/** A silent connection is asked for a sign of life this often; proxies drop those silent for a minute. */
const KEEPALIVE_MS = 30_000;
const KEEPALIVE_TIMEOUT_MS = 20_000;

/**
 * gRPC (A2A §10) on a port of its own: the services of 1.0 and 0.3 and the standard health service. Open
 * before the hub is ready; while the process drains it ends streams and waits for answers.
 */
@Injectable()
export class GrpcBinding implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly services: readonly GrpcService[];
  private stopped: Promise<void> | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly address: GrpcAddress,
    private readonly calls: GrpcCalls,
    private readonly draining: Draining,
    private readonly observer: GrpcObserver,
    private readonly log: Log,
    private readonly tls: ListenerTls,
    v1: V1GrpcService,
    v0: V0GrpcService,
  ) {
    this.services = [v1, v0];
    for (const { version } of this.services) checkListed({ binding: 'GRPC', version });
  }

  /** Rejects, naming the address, when the port cannot be had. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.config.grpc.port === 0) return;
    const health = new GrpcHealth(['', ...Object.values(SERVICE_NAMES)]);
    const server = this.serverWith(health);
    const port = await this.listen(server);
    this.address.bound(port);
    this.log.info({ port, tls: this.config.grpc.tlsKey !== null }, 'gRPC is listening');
    this.draining.announced.addEventListener('abort', () => health.stop());
    this.draining.signal.addEventListener('abort', () => {
      // Watches that were opened since.
      health.stop();
      this.stopped = stop(server, this.config.server.drainMs);
    });
  }

  /** Answers on their way are waited for, up to `server.drain`. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private serverWith(health: GrpcHealth): Server {
    const server = new Server({
      'grpc.max_receive_message_length': RECEIVE_FACTOR * this.config.server.bodyLimit,
      'grpc.max_concurrent_streams': MAX_STREAMS_OF_CONNECTION,
      'grpc.max_send_message_length': MAX_SEND_BYTES,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_TIMEOUT_MS,
      'grpc.enable_channelz': 0,
      // The first one is the nearest to the wire.
      interceptors: [
        this.calls.receiving,
        this.observer.observe((path) => this.services.some(({ methods }) => methods.has(path))),
        this.calls.guard(this.services),
      ],
    });
    for (const service of this.services) {
      server.addService(definitionOf(service), this.implementationOf(service));
    }
    health.addTo(server);
    return server;
  }

  private implementationOf(service: GrpcService): UntypedServiceImplementation {
    return Object.fromEntries(
      [...service.methods].map(([path, method]) => [path, this.calls.handlerOf(service, method)]),
    );
  }

  private async listen(server: Server): Promise<number> {
    const { port } = this.config.grpc;
    const { host } = this.config.server;
    const target = `${host.includes(':') ? `[${host}]` : host}:${Math.max(port, 0)}`;
    try {
      const bind = promisify(server.bindAsync.bind(server));
      const bound = await bind(target, serverCredentials(this.tls.grpc));
      showRepeatedCredentials(server);
      return bound;
    } catch (thrown) {
      server.forceShutdown();
      const { message } = thrown as Error;
      const why = message.includes('EADDRINUSE')
        ? 'it is in use: stop what listens there, or choose another (A2A_HUB__GRPC__PORT)'
        : message;
      throw new Error(`gRPC cannot listen at ${target} (grpc.port): ${why}`, { cause: thrown });
    }
  }
}

/** Messages stay bytes here: the library would tell a client's bad bytes as an error of its own. */
function definitionOf({ methods }: GrpcService): ServiceDefinition {
  const asIs = (bytes: Buffer): Buffer => bytes;
  return Object.fromEntries(
    [...methods].map(([path, { kind }]) => [
      path,
      {
        path,
        requestStream: false,
        responseStream: kind === 'stream',
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    ]),
  );
}

/** Resolves when all calls have ended, or have been ended after `limitMs`. */
async function stop(server: Server, limitMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const limit = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, limitMs);
    server.tryShutdown(() => {
      clearTimeout(limit);
      resolve();
    });
  });
}
