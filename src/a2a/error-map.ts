import { type HubError, hubErrorOf } from '../common/hub-error.js';
import { type ErrorReason } from '../common/hub-error.js';
import { ERROR_CODES, HUB_ERROR_DOMAIN } from '../protocol/error-codes.js';
import type { ProtocolVersion } from '../protocol/protocol-version.js';

/** The codes of `google.rpc.Code` that the hub answers with, and their numbers in gRPC. */
export const RPC_STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

export type RpcStatus = keyof typeof RPC_STATUS;

/** How one error reason looks in the A2A API. */
export interface WireError {
  /** JSON-RPC `error.code` (A2A §5.4, §9.5). */
  readonly code: number;
  /** The standard message. 0.x answers carry it word for word: 0.2.5 clients compare it. */
  readonly text: string;
  /** HTTP status of the HTTP+JSON binding (A2A §5.4). */
  readonly httpStatus: number;
  /** The gRPC status (A2A §5.4), also `error.status` of the HTTP+JSON binding (§11.6). */
  readonly status: RpcStatus;
  /** HTTP status of a JSON-RPC answer: 200 unless the fault lies outside JSON-RPC. */
  readonly rpcStatus: number;
  /** `ErrorInfo.domain`: the specification's for its own errors, else the hub's. */
  readonly domain: string;
  /** `ErrorInfo.reason`, where the specification has one for what the hub tells more finely. */
  readonly reason?: ErrorReason;
}

/** `google.rpc.ErrorInfo.domain` of errors the A2A specification defines. */
const A2A_DOMAIN = 'a2a-protocol.org';

/** Every error a caller of the A2A API can meet; `docs/errors.md` lists the same. */
export const WIRE_ERRORS: Readonly<Record<ErrorReason, WireError>> = {
  TASK_NOT_FOUND: a2a('TASK_NOT_FOUND', 'Task not found', 404, 'NOT_FOUND'),
  TASK_NOT_CANCELABLE: a2a(
    'TASK_NOT_CANCELABLE',
    'Task cannot be canceled',
    400,
    'FAILED_PRECONDITION',
  ),
  PUSH_NOTIFICATION_NOT_SUPPORTED: a2a(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'Push Notification is not supported',
    400,
    'FAILED_PRECONDITION',
  ),
  UNSUPPORTED_OPERATION: a2a(
    'UNSUPPORTED_OPERATION',
    'This operation is not supported',
    400,
    'FAILED_PRECONDITION',
  ),
  CONTENT_TYPE_NOT_SUPPORTED: a2a(
    'CONTENT_TYPE_NOT_SUPPORTED',
    'Incompatible content types',
    400,
    'INVALID_ARGUMENT',
  ),
  INVALID_AGENT_RESPONSE: a2a('INVALID_AGENT_RESPONSE', 'Invalid agent response', 500, 'INTERNAL'),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: a2a(
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    'Authenticated Extended Card not configured',
    400,
    'FAILED_PRECONDITION',
  ),
  EXTENSION_SUPPORT_REQUIRED: a2a(
    'EXTENSION_SUPPORT_REQUIRED',
    'Extension support required',
    400,
    'FAILED_PRECONDITION',
  ),
  VERSION_NOT_SUPPORTED: a2a(
    'VERSION_NOT_SUPPORTED',
    'Version not supported',
    400,
    'FAILED_PRECONDITION',
  ),

  PARSE_ERROR: a2a('PARSE_ERROR', 'Invalid JSON payload', 400, 'INVALID_ARGUMENT'),
  INVALID_REQUEST: a2a(
    'INVALID_REQUEST',
    'Request payload validation error',
    400,
    'INVALID_ARGUMENT',
  ),
  METHOD_NOT_FOUND: a2a('METHOD_NOT_FOUND', 'Method not found', 404, 'UNIMPLEMENTED'),
  METHOD_NOT_ALLOWED: hub(
    ERROR_CODES.METHOD_NOT_FOUND,
    'Method not found',
    405,
    'UNIMPLEMENTED',
    405,
  ),
  INVALID_PARAMS: a2a('INVALID_PARAMS', 'Invalid parameters', 400, 'INVALID_ARGUMENT'),
  PAYLOAD_TOO_LARGE: hub(
    ERROR_CODES.INVALID_REQUEST,
    'Request payload too large',
    413,
    'RESOURCE_EXHAUSTED',
    413,
  ),
  UNSUPPORTED_MEDIA_TYPE: {
    ...a2a(
      'CONTENT_TYPE_NOT_SUPPORTED',
      'Incompatible content types',
      415,
      'INVALID_ARGUMENT',
      415,
    ),
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
  },

  UNAUTHENTICATED: hub(-31401, 'Authentication required', 401, 'UNAUTHENTICATED', 401),
  PERMISSION_DENIED: hub(-31403, 'Permission denied', 403, 'PERMISSION_DENIED', 403),
  RATE_LIMITED: hub(-31429, 'Too many requests', 429, 'RESOURCE_EXHAUSTED', 429),
  QUOTA_EXCEEDED: hub(-31429, 'Too many requests', 429, 'RESOURCE_EXHAUSTED', 429),

  NOT_FOUND: {
    ...a2a('TASK_NOT_FOUND', 'Task not found', 404, 'NOT_FOUND'),
    reason: 'TASK_NOT_FOUND',
  },
  CONFLICT: hub(ERROR_CODES.INVALID_PARAMS, 'Invalid parameters', 409, 'ALREADY_EXISTS'),
  NO_ROUTE: hub(ERROR_CODES.INVALID_PARAMS, 'Invalid parameters', 400, 'INVALID_ARGUMENT'),
  EGRESS_DENIED: hub(ERROR_CODES.INVALID_PARAMS, 'Invalid parameters', 400, 'INVALID_ARGUMENT'),
  AGENT_UNREACHABLE: hub(ERROR_CODES.INTERNAL, 'Internal error', 502, 'UNAVAILABLE'),
  AGENT_BUSY: hub(-31503, 'Agent busy', 503, 'UNAVAILABLE', 503),
  UNAVAILABLE: hub(ERROR_CODES.INTERNAL, 'Internal error', 503, 'UNAVAILABLE', 503),
  INTERNAL: a2a('INTERNAL', 'Internal error', 500, 'INTERNAL'),
};

/** An error as a JSON-RPC answer carries it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** 1.0: an array of typed details. 0.x: an object, because Go 0.3 clients read nothing else. */
  readonly data?: unknown;
}

/** The error a JSON-RPC answer of this dialect shows for what was thrown. */
export function rpcErrorOf(thrown: unknown, version: ProtocolVersion): RpcError {
  const error = hubErrorOf(thrown);
  const wire = WIRE_ERRORS[error.reason];
  return version === '1.0'
    ? { code: wire.code, message: messageOf(error, wire), data: detailsOf(error) }
    : { code: wire.code, message: wire.text, data: legacyDetailsOf(error, wire) };
}

/** An error as HTTP+JSON carries it (A2A §11.6): a `google.rpc.Status` with the HTTP status as its code. */
export interface RestError {
  readonly error: {
    readonly code: number;
    readonly status: RpcStatus;
    readonly message: string;
    readonly details: readonly unknown[];
  };
}

/** The body that HTTP+JSON 1.0 answers for what was thrown; `error.code` is the status of the answer. */
export function restErrorOf(thrown: unknown): RestError {
  const error = hubErrorOf(thrown);
  const wire = WIRE_ERRORS[error.reason];
  return {
    error: {
      code: wire.httpStatus,
      status: wire.status,
      message: messageOf(error, wire),
      details: detailsOf(error),
    },
  };
}

/** The typed details of an error (A2A §9.5): ErrorInfo, and BadRequest when fields are at fault. */
function detailsOf(error: HubError): readonly Record<string, unknown>[] {
  const { reason = error.reason, domain } = WIRE_ERRORS[error.reason];
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain,
    ...metadataOf(error),
  };
  if (error.violations.length === 0) return [info];
  const fields = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: error.violations,
  };
  return [info, fields];
}

function legacyDetailsOf(error: HubError, wire: WireError): Record<string, unknown> {
  const message = messageOf(error, wire);
  return {
    reason: wire.reason ?? error.reason,
    domain: wire.domain,
    ...(message === wire.text ? {} : { detail: message }),
    ...metadataOf(error),
    ...(error.violations.length === 0 ? {} : { fieldViolations: error.violations }),
  };
}

/** An accident of the hub says nothing of itself. */
function messageOf(error: HubError, wire: WireError): string {
  return error.reason === 'INTERNAL' ? wire.text : error.message;
}

/** Details that name the task would tell a stranger's id from an unknown one. */
function metadataOf({ reason, metadata }: HubError): {
  metadata?: Readonly<Record<string, string>>;
} {
  const silent = reason === 'TASK_NOT_FOUND' || reason === 'INTERNAL';
  return silent || Object.keys(metadata).length === 0 ? {} : { metadata };
}

function a2a(
  name: keyof typeof ERROR_CODES,
  text: string,
  httpStatus: number,
  status: RpcStatus,
  rpcStatus = 200,
): WireError {
  const code = ERROR_CODES[name];
  return { code, text, httpStatus, status, rpcStatus, domain: A2A_DOMAIN };
}

function hub(
  code: number,
  text: string,
  httpStatus: number,
  status: RpcStatus,
  rpcStatus = 200,
): WireError {
  return { code, text, httpStatus, status, rpcStatus, domain: HUB_ERROR_DOMAIN };
}
