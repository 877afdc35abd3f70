import {
  type Server,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

const SERVICE = '/grpc.health.v1.Health';
/** `HealthCheckResponse.ServingStatus`. */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

/** The largest request of the service: it is the name of a service. */
export const MAX_HEALTH_REQUEST_BYTES = 256;
/** Watches that one connection may have open, and all of them together; a new one ends the oldest then. */
const MAX_WATCHES_OF_CONNECTION = 16;
const MAX_WATCHES = 1000;

type Check = ServerUnaryCall<Buffer, number>;
type Watch = ServerWritableStream<Buffer, number>;

/**
 * The standard health service (grpc.health.v1), open to everybody: SERVING until the process is going to stop, for every
 * service and for ''. It keeps nothing of a name that it does not know; open watches are few for each
 * connection and in all.
 */
export class GrpcHealth {
  private readonly names: ReadonlySet<string>;
  /** Of each connection. */
  private readonly counts = new Map<string, number>();
  /** The open ones and what forgets them, the oldest first. */
  private readonly watches = new Map<Watch, () => void>();
  private serving = SERVING;

  constructor(services: readonly string[]) {
    this.names = new Set(services);
  }

  addTo(server: Server): void {
    server.addService(DEFINITION, {
      Check: (call: Check, answer: sendUnaryData<number>) => this.check(call, answer),
      Watch: (call: Watch) => this.watch(call),
    });
  }

  /** Tells everybody who asks or watches NOT_SERVING, and ends the watches: they would never end. */
  stop(): void {
    this.serving = NOT_SERVING;
    for (const watch of [...this.watches.keys()]) {
      watch.write(NOT_SERVING);
      end(watch, status.UNAVAILABLE, 'The hub is going to stop.');
    }
  }

  private check({ request }: Check, answer: sendUnaryData<number>): void {
    const isKnown = this.names.has(nameIn(request) ?? '?');
    if (isKnown) answer(null, this.serving);
    else answer({ code: status.NOT_FOUND, details: 'There is no such service.' });
  }

  private watch(call: Watch): void {
    if (!this.names.has(nameIn(call.request) ?? '?')) {
      call.write(SERVICE_UNKNOWN);
      call.end();
      return;
    }
    const peer = call.getPeer();
    const ofPeer = this.counts.get(peer) ?? 0;
    if (ofPeer >= MAX_WATCHES_OF_CONNECTION) {
      end(call, status.RESOURCE_EXHAUSTED, 'Too many watches are open on this connection.');
      return;
    }
    if (this.watches.size >= MAX_WATCHES) this.endOldest();
    this.counts.set(peer, ofPeer + 1);
    const forget = (): void => {
      if (!this.watches.delete(call)) return;
      const left = this.counts.get(peer)! - 1;
      if (left === 0) this.counts.delete(peer);
      else this.counts.set(peer, left);
    };
    this.watches.set(call, forget);
    call.once('cancelled', forget).once('close', forget);
    call.write(this.serving);
  }

  /** No client may hold all of them; one whose watch ends opens another. */
  private endOldest(): void {
    const [oldest] = this.watches;
    if (oldest === undefined) return;
    const [watch, forget] = oldest;
    forget();
    end(watch, status.UNAVAILABLE, 'Too many watches are open: open another.');
  }
}

/** Ends a stream with a status; the library takes it from there. */
function end(call: Watch, code: status, details: string): void {
  call.emit('error', { code, details });
}

/** The field `service` of a `HealthCheckRequest`; undefined for bytes that are none. */
function nameIn(request: Buffer): string | undefined {
  try {
    const reader = new BinaryReader(request);
    let name = '';
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === 1 && wireType === WireType.LengthDelimited) name = reader.string();
      else reader.skip(wireType, field);
    }
    return name;
  } catch {
    return undefined;
  }
}

function answerOf(serving: number): Buffer {
  return Buffer.from(new BinaryWriter().tag(1, WireType.Varint).int32(serving).finish());
}

const asIs = (bytes: Buffer): Buffer => bytes;

const codec = {
  requestStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: answerOf,
  responseDeserialize: asIs,
} as const;

const DEFINITION: ServiceDefinition = {
  Check: { ...codec, path: `${SERVICE}/Check`, responseStream: false },
  Watch: { ...codec, path: `${SERVICE}/Watch`, responseStream: true },
};
