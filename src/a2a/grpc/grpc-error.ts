import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { type FieldViolation, type HubError, hubErrorOf } from '../../common/hub-error.js';
import type { ProtocolVersion } from '../../protocol/protocol-version.js';
import { RPC_STATUS, WIRE_ERRORS, rpcErrorOf } from '../error-map.js';
import { type RpcDetails, encodeRpcStatus } from './rpc-details.js';

/** The longest status message: it travels in a trailer, where one byte can take three. */
const MAX_MESSAGE_BYTES = 512;
/** The most bytes of details. Some clients refuse trailers over 8 KiB, and base64 adds a third. */
const MAX_DETAILS_BYTES = 4096;

/** Why a call has a status, by the metadata of that. */
const errors = new WeakMap<Metadata, HubError>();

/** Why a call ended as it did, for a status of {@link grpcStatusOf}. */
export function errorOf({
  metadata,
}: {
  readonly metadata?: Metadata | null | undefined;
}): HubError | undefined {
  return metadata ? errors.get(metadata) : undefined;
}

/**
 * The gRPC status for what was thrown (A2A §10.6): the code of `WIRE_ERRORS`, the message a JSON-RPC
 * answer of this version has, and `google.rpc` details in `grpc-status-details-bin`.
 */
export function grpcStatusOf(thrown: unknown, version: ProtocolVersion): StatusObject {
  const error = hubErrorOf(thrown);
  const code = RPC_STATUS[WIRE_ERRORS[error.reason].status];
  const details = shortened(rpcErrorOf(error, version).message);
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodedDetails(code, details, error));
  errors.set(metadata, error);
  const retryAfter = error.metadata['retryAfterSeconds'];
  if (retryAfter !== undefined) metadata.set('retry-after', retryAfter);
  return { code, details, metadata };
}

/** Within their limit: when all of it is too much, the fields at fault stay and then ErrorInfo alone. */
function encodedDetails(code: number, message: string, error: HubError): Buffer {
  const all = detailsOf(error, message);
  const bare = { ...all, errorInfo: { ...all.errorInfo, metadata: {} } };
  for (const details of [all, bare]) {
    const encoded = encodeRpcStatus(code, message, details);
    if (encoded.length <= MAX_DETAILS_BYTES) return encoded;
  }
  return encodeRpcStatus(code, message, { ...bare, fieldViolations: [] });
}

/** The details of the JSON bindings. A 0.x message is a standard text: `detail` says the rest. */
function detailsOf(error: HubError, message: string): RpcDetails {
  const { message: sentence, data } = rpcErrorOf(error, '1.0');
  const [errorInfo, badRequest] = data as [
    RpcDetails['errorInfo'],
    { readonly fieldViolations: readonly FieldViolation[] }?,
  ];
  const detail = shortened(sentence);
  const seconds = error.metadata['retryAfterSeconds'];
  return {
    errorInfo: {
      ...errorInfo,
      metadata: { ...errorInfo.metadata, ...(detail === message ? {} : { detail }) },
    },
    fieldViolations: badRequest?.fieldViolations ?? [],
    retryAfterSeconds: seconds === undefined ? undefined : Number(seconds),
  };
}

/** Well-formed, so that it can be percent-encoded. */
function shortened(message: string): string {
  return Buffer.from(message).subarray(0, MAX_MESSAGE_BYTES).toString();
}
