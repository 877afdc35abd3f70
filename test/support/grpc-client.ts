import { BinaryReader } from '@bufbuild/protobuf/wire';
import { decodeErrorInfo, decodeStatus } from '@a2a-js/sdk/errors/grpc';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type CallOptions,
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientReadableStream,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  credentials,
  status,
} from '@grpc/grpc-js';
import { GrpcAddress } from '../../src/config/index.js';
import type { Hub } from './app.js';

export const V1 = A2AService;
export const V0 = LegacyA2AService;

/** A status that is not OK, with its details decoded. */
export interface GrpcFailure {
  readonly code: string;
  readonly message: string;
  readonly reason: string | undefined;
  readonly domain: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields of `BadRequest`. */
  readonly fields: readonly string[];
  /** Every byte of it, as the client got it. */
  readonly raw: string;
  readonly trailers: Metadata;
}

export interface GrpcClientOptions {
  /** Sent as `authorization`; null sends none. */
  readonly key?: string | null;
  readonly credentials?: ChannelCredentials;
  readonly channel?: ChannelOptions;
}

/** A method of either service, as far as a client needs to know it. */
export type GrpcMethod<Request, Answer> = Pick<
  MethodDefinition<Request, Answer>,
  'path' | 'requestSerialize' | 'responseDeserialize'
>;

type Fields = Readonly<Record<string, string>>;

/** The codec of a method whose messages are bytes. */
export const asIs = (bytes: Buffer): Buffer => bytes;

/** A gRPC client that knows no A2A: any path, any bytes, any metadata. */
export class GrpcClient {
  private readonly client: Client;

  constructor(
    readonly target: string,
    private readonly options: GrpcClientOptions = {},
  ) {
    const security = options.credentials ?? credentials.createInsecure();
    this.client = new Client(target, security, {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      ...options.channel,
    });
  }

  /** A client of the hub with its ordinary key. */
  static async of(hub: Hub, options: GrpcClientOptions = {}): Promise<GrpcClient> {
    const key = options.key === undefined ? await hub.key() : options.key;
    return new GrpcClient(grpcTarget(hub), { ...options, key });
  }

  /** Calls a unary method; rejects with the `ServiceError`. */
  async call<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
    metadata: Fields = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const { answer } = await this.exchange(
      method.path,
      method.requestSerialize(request),
      metadata,
      options,
    );
    return method.responseDeserialize(answer);
  }

  /** Sends bytes to a path; the answer and its initial metadata. */
  exchange(
    path: string,
    bytes: Buffer,
    metadata: Fields = {},
    options: CallOptions = {},
  ): Promise<{ readonly answer: Buffer; readonly headers: Metadata }> {
    return new Promise((resolve, reject) => {
      let headers = new Metadata();
      this.client
        .makeUnaryRequest(
          path,
          asIs,
          asIs,
          bytes,
          this.metadata(metadata),
          options,
          (error, answer) => (error ? reject(error) : resolve({ answer: answer!, headers })),
        )
        .on('metadata', (received) => (headers = received));
    });
  }

  /** Opens a stream. */
  stream<Request, Event>(
    method: GrpcMethod<Request, Event>,
    request: Request,
    metadata: Fields = {},
    options: CallOptions = {},
  ): ClientReadableStream<Event> {
    return this.client.makeServerStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      this.metadata(metadata),
      options,
    );
  }

  /** All events of a stream; rejects with its `ServiceError`. */
  async events<Request, Event>(
    ...requested: Parameters<typeof this.stream<Request, Event>>
  ): Promise<Event[]> {
    const events: Event[] = [];
    for await (const event of this.stream(...requested)) events.push(event as Event);
    return events;
  }

  close(): void {
    this.client.close();
  }

  private metadata(fields: Fields): Metadata {
    const metadata = new Metadata();
    if (this.options.key) metadata.set('authorization', `Bearer ${this.options.key}`);
    for (const [name, value] of Object.entries(fields)) metadata.set(name, value);
    return metadata;
  }
}

/** `host:port` of the hub's gRPC binding. */
export function grpcTarget(hub: Hub): string {
  return hub.app.get(GrpcAddress).listening!;
}

/** The failure of a call that should not have succeeded. */
export async function failureOf(call: Promise<unknown>): Promise<GrpcFailure> {
  try {
    await call;
  } catch (thrown) {
    return decodeFailure(thrown as ServiceError);
  }
  throw new Error('the call succeeded');
}

export function decodeFailure({ code, details, metadata }: ServiceError): GrpcFailure {
  const [bytes] = metadata?.get('grpc-status-details-bin') ?? [];
  const all = bytes === undefined ? [] : decodeStatus(bytes as Buffer).details;
  const detail = (name: string): Buffer | undefined =>
    all.find(({ typeUrl }) => typeUrl === `type.googleapis.com/google.rpc.${name}`)?.value;
  const info = detail('ErrorInfo');
  const decoded = info && decodeErrorInfo(info);
  return {
    code: status[code],
    message: details,
    reason: decoded?.reason,
    domain: decoded?.domain,
    metadata: decoded?.metadata ?? {},
    fields: violationsOf(detail('BadRequest')),
    raw: JSON.stringify([code, details, bytes?.toString('base64')]),
    trailers: metadata,
  };
}

/** The `field` of each `BadRequest.field_violations`. */
function violationsOf(badRequest: Buffer | undefined): string[] {
  if (badRequest === undefined) return [];
  const fields: string[] = [];
  const reader = new BinaryReader(badRequest);
  while (reader.pos < reader.len) {
    reader.tag();
    const violation = new BinaryReader(reader.bytes());
    violation.tag();
    fields.push(violation.string());
  }
  return fields;
}
