import type { ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { FastifyServerFactory } from 'fastify';
import type { Clock } from './common/clock.js';
import type { ListenerTexts } from './common/tls/listener-texts.js';
import { plainPem } from './common/tls/pem.js';
import {
  type AppConfig,
  ConfigError,
  type FollowedTls,
  SOME_FILE,
  tlsTimeFaults,
} from './config/index.js';

/** How long a TLS handshake may take. */
const HANDSHAKE_MS = 20_000;

/** Throws {@link ConfigError} for certificates of the listeners that do not count at this time. */
export function checkCertificateTimes(config: AppConfig, clock: Clock): void {
  const faults = tlsTimeFaults(config, clock.now());
  if (faults.length === 0) return;
  throw new ConfigError(faults.map((fault) => ({ ...fault, source: SOME_FILE })));
}

/** The HTTP server with TLS of its own, which has new certificates for new connections when they change. */
export class TlsListener {
  private server: Server | undefined;

  private constructor(
    private readonly texts: ListenerTexts,
    private readonly options: ServerOptions,
  ) {}

  /** Undefined when the listener is without TLS. */
  static of(texts: ListenerTexts, options: ServerOptions): TlsListener | undefined {
    return texts.certificate === null ? undefined : new TlsListener(texts, options);
  }

  /**
   * How Fastify makes its server. Callers are asked for a certificate where there are authorities for it, and are served
   * without one, or with a wrong one, too: whoever asks who calls looks at what it is worth.
   */
  readonly serverFactory: FastifyServerFactory = (handler) => {
    const server = createServer(
      {
        ...this.options,
        ...contextOf(this.texts),
        handshakeTimeout: HANDSHAKE_MS,
        requestCert: this.texts.clientCa !== null,
        rejectUnauthorized: false,
      },
      handler,
    );
    // TLS 1.2 would let a client show another certificate later, which nobody has verified.
    server.on('secureConnection', (socket: TLSSocket) => socket.disableRenegotiation());
    this.server = server;
    return server;
  };

  follow(tls: FollowedTls): void {
    tls.onChange(() => this.server?.setSecureContext(contextOf(tls.texts)));
  }
}

function contextOf({ certificate, key, clientCa }: ListenerTexts) {
  return {
    cert: certificate === null ? undefined : plainPem(certificate),
    key: key ?? undefined,
    ca: clientCa === null ? undefined : plainPem(clientCa),
    minVersion: 'TLSv1.2',
  } as const;
}
