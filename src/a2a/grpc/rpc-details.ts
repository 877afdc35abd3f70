import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FieldViolation } from '../../common/hub-error.js';

/** What a gRPC error tells beside its status and message (`google/rpc/error_details.proto`). */
export interface RpcDetails {
  readonly errorInfo: {
    readonly reason: string;
    readonly domain: string;
    readonly metadata: Readonly<Record<string, string>>;
  };
  /** `BadRequest`: the fields at fault. */
  readonly fieldViolations: readonly FieldViolation[];
  /** `RetryInfo`: seconds until another try makes sense. */
  readonly retryAfterSeconds: number | undefined;
}

const TYPE_URL = 'type.googleapis.com/google.rpc.';

/** A `google.rpc.Status` with its details, as `grpc-status-details-bin` carries it. */
export function encodeRpcStatus(
  code: number,
  message: string,
  { errorInfo, fieldViolations, retryAfterSeconds }: RpcDetails,
): Buffer {
  const status = new BinaryWriter();
  status.tag(1, WireType.Varint).int32(code);
  text(status, 2, message);
  detail(status, 'ErrorInfo', (info) => {
    text(info, 1, errorInfo.reason);
    text(info, 2, errorInfo.domain);
    for (const [key, value] of Object.entries(errorInfo.metadata)) {
      nested(info, 3, (entry) => text(text(entry, 1, key), 2, value));
    }
  });
  if (fieldViolations.length > 0) {
    detail(status, 'BadRequest', (badRequest) => {
      for (const { field, description } of fieldViolations) {
        nested(badRequest, 1, (violation) => text(text(violation, 1, field), 2, description));
      }
    });
  }
  if (retryAfterSeconds !== undefined) {
    detail(status, 'RetryInfo', (retryInfo) =>
      nested(retryInfo, 1, (duration) => duration.tag(1, WireType.Varint).int64(retryAfterSeconds)),
    );
  }
  return Buffer.from(status.finish());
}

/** One of `Status.details`: a `google.protobuf.Any` that holds a `google.rpc` message. */
function detail(status: BinaryWriter, type: string, write: (message: BinaryWriter) => void): void {
  nested(status, 3, (any) => nested(text(any, 1, TYPE_URL + type), 2, write));
}

function nested(parent: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void {
  parent.tag(field, WireType.LengthDelimited).fork();
  write(parent);
  parent.join();
}

function text(parent: BinaryWriter, field: number, value: string): BinaryWriter {
  return parent.tag(field, WireType.LengthDelimited).string(value);
}
