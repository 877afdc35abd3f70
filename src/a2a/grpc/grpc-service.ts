import type { IncomingHttpHeaders } from 'node:http';
import type { CallContext } from '../../auth/index.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';

/** Hands one message to the reader; false when there is no reader any more. */
export type Emit = (message: Buffer) => Promise<boolean>;

/** A call whose caller and version are known. */
export interface GrpcRequest {
  /** Bytes, so that bytes which cannot be read are reported as an error of the client. */
  readonly message: Buffer;
  /** The metadata, read like HTTP headers. */
  readonly headers: IncomingHttpHeaders;
  readonly call: CallContext;
}

/** A method over encoded messages. */
export type GrpcMethod =
  | {
      readonly kind: 'unary';
      run(request: GrpcRequest): Promise<Buffer>;
    }
  | {
      readonly kind: 'stream';
      /** Resolves at the end of the stream; rejects before anything is emitted when it is refused. */
      run(request: GrpcRequest, emit: Emit): Promise<void>;
    };

/** The gRPC service of one version of A2A. */
export interface GrpcService {
  readonly version: ProtocolVersion;
  /** By the path of the method (`/lf.a2a.v1.A2AService/GetTask`). */
  readonly methods: ReadonlyMap<string, GrpcMethod>;
}

/** The full names of the services, by the version they speak. */
export const SERVICE_NAMES: Readonly<Record<ProtocolVersion, string>> = {
  '1.0': 'lf.a2a.v1.A2AService',
  '0.3': 'a2a.v1.A2AService',
};
