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
/** Watches that one connection may have open, and all of them together. */
const MAX_WATCHES_OF_CONNECTION = 16;
const MAX_WATCHES = 1000;

type Check = ServerUnaryCall<Buffer, number>;
type Watch = ServerWritableStream<Buffer, number>;

/**
 * The standard health service (grpc.health.v1), open to everybody: SERVING until the process drains, for every
 * service and for ''. It keeps nothing of a name that it does not know; open watches are few for each
 * connection and in all.
 */
export class GrpcHealth {
  private readonly names: ReadonlySet<string>;
  /** By connection. */
  private readonly watches = new Map<string, Set<Watch>>();
  private watched = 0;
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
    for (const watch of [...this.watches.values()].flatMap((set) => [...set])) {
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
    const ofPeer = this.watches.get(peer) ?? new Set();
    if (ofPeer.size >= MAX_WATCHES_OF_CONNECTION || this.watched >= MAX_WATCHES) {
      end(call, status.RESOURCE_EXHAUSTED, 'Too many watches are open.');
      return;
    }
    this.watches.set(peer, ofPeer.add(call));
    this.watched += 1;
    const forget = (): void => {
      if (!ofPeer.delete(call)) return;
      this.watched -= 1;
      if (ofPeer.size === 0) this.watches.delete(peer);
    };
    call.once('cancelled', forget).once('close', forget);
    call.write(this.serving);
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
