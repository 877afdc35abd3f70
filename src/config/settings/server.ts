import { choice, duration, number, optionalHttpUrl, size, text, texts } from '../setting-kinds.js';
import { optionalPem } from '../pem-setting.js';
import { origins } from '../origins.js';
import { Section } from '../setting.js';
import { SECOND, MINUTE, HOUR, KIB, MIB } from '../units.js';

const CHAIN = "or file:PATH: the server's own first, its intermediates after it.";
const KEY =
  'The private key of the certificate as PEM without a passphrase, or file:PATH; both or neither.';
const CLIENT_CA =
  'The authorities, as PEM or file:PATH, whose certificates callers may show instead of a key; auth.certificates says who they are then. Callers without one go on as before. Null: no certificate is asked for.';

/** What the hub listens at, and what it is. */
export const SERVER_SETTINGS = {
  server: new Section('The HTTP server.', {
    host: text({
      default: '127.0.0.1',
      description: 'The address to listen on; 0.0.0.0 for every interface.',
    }),
    port: number({
      min: 0,
      max: 65_535,
      default: 4000,
      description: 'The port to listen on; 0 takes any free one, which is printed.',
    }),
    bodyLimit: size({
      min: KIB,
      max: 1024 * MIB,
      default: 10 * MIB,
      description: 'The largest request body of the A2A API.',
    }),
    adminBodyLimit: size({
      min: KIB,
      max: 16 * MIB,
      default: MIB,
      description: 'The largest request body of the admin API.',
    }),
    maxValues: number({
      min: 1000,
      max: 10_000_000,
      default: 50_000,
      description:
        'The most values in one A2A request, counted by the braces, brackets, commas and colons of its JSON, or by the fields of its protobuf message. Reading them takes time in which no other request is served.',
    }),
    maxBodyBytes: size({
      min: MIB,
      max: 64 * 1024 * MIB,
      default: 64 * MIB,
      description:
        'Bytes of A2A requests over 64KiB that one process receives and works on at once; a principal may have a quarter of them, an organization half. Further requests wait up to 10s. At most a sixteenth of the heap.',
    }),
    maxOpenCalls: number({
      min: 1,
      max: 1_000_000,
      default: 10_000,
      description:
        'A2A calls open at once in one process, streams and blocking sends included. One organization may have nine tenths of them.',
    }),
    drainDelayMs: duration({
      max: 5 * MINUTE,
      default: 0,
      description:
        'How long requests are still taken after SIGTERM, while /health/ready says 503 and gRPC health NOT_SERVING: as long as a balancer takes to notice. server.drain begins after it; a second signal ends it. Not in a worker, which has no clients.',
    }),
    drainMs: duration({
      max: HOUR,
      default: 10 * SECOND,
      description: 'How long requests in flight may run on after SIGTERM and server.drainDelay.',
    }),
    corsOrigins: origins({
      default: [],
      description:
        'Origins (https://app.example.com) whose pages may call the hub from a browser, with a key also under auth.mode none: A2A over HTTP and the admin API alike; * for every origin. Empty: none but its own.',
    }),
    trustedProxies: texts({
      default: [],
      description:
        "Addresses and CIDR blocks of proxies that add the caller's address to X-Forwarded-For, over HTTP and gRPC: keys' allowedNetworks are compared with it, and the limits of consent links and sign-ins are counted by it. The last address in the header that is none of these counts. A listed proxy must add to the header or replace it, never pass it on as a client wrote it: else anybody says which address it has. From any other address the header counts for nothing.",
    }),
    tls: new Section(
      'TLS of the HTTP server itself, without a proxy in front. Files are read again when they change; new connections have what is in them. See docs/tls.md.',
      {
        certificate: optionalPem({
          default: null,
          description: `The certificate of the server as PEM, ${CHAIN} Null: without TLS.`,
        }),
        key: optionalPem({ default: null, description: KEY, secret: true }),
        clientCa: optionalPem({
          default: null,
          description: `${CLIENT_CA} For callers over HTTP; those over gRPC have grpc.tlsClientCa.`,
        }),
      },
    ),
    rateLimit: new Section('How often one principal may call the A2A API of one process.', {
      requestsPerSecond: number({
        min: 0,
        max: 100_000,
        default: 0,
        description: 'Requests in one second; 0 for no limit.',
      }),
      burst: number({
        min: 0,
        max: 1_000_000,
        default: 20,
        description: 'Requests above that in ten seconds.',
      }),
      maxWaiting: number({
        min: 1,
        max: 1_000_000,
        default: 5000,
        description:
          'Requests of one principal that may be queued while other principals have requests too; further ones are refused. A principal with no competition has only the limit of the process, 20,000.',
      }),
    }),
  }),

  grpc: new Section('The gRPC server, on a port of its own.', {
    port: number({
      min: -1,
      max: 65_535,
      default: 0,
      description: 'The port to listen on; 0 for no gRPC, -1 for any free one, which is printed.',
    }),
    publicUrl: optionalHttpUrl({
      default: null,
      description:
        'The address clients reach the gRPC server at (https://grpc.example.com). Null: the host of publicUrl with this port.',
    }),
    tlsCertificate: optionalPem({
      default: null,
      description: `The certificate of the gRPC server as PEM, ${CHAIN} Null: without TLS, for a proxy in front or a loopback host.`,
    }),
    tlsKey: optionalPem({ default: null, description: KEY, secret: true }),
    tlsClientCa: optionalPem({
      default: null,
      description: `${CLIENT_CA} For callers over gRPC; those over HTTP have server.tls.clientCa.`,
    }),
  }),

  publicUrl: optionalHttpUrl({
    default: null,
    description:
      'The address clients and agents reach the hub at; outward links come from it alone. Null: the listening address, for a loopback host only.',
  }),

  role: choice(['all', 'api', 'worker'], {
    default: 'all',
    description:
      'What this process does: api answers requests, worker runs tasks and delivers webhooks, all does both. api and worker need PostgreSQL.',
  }),
} as const;
