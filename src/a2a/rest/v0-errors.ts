import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorReason, hubErrorOf } from '../../common/hub-error.js';
import { restErrorOf, rpcErrorOf } from '../error-map.js';
import { peerOf } from './v0-rest-peers.js';

/** The class that Java's client makes of each error: 0.3 has one for its own errors and JSON-RPC's. */
const CLASSES: Readonly<Record<ErrorReason, string>> = {
  TASK_NOT_FOUND: 'TaskNotFoundError',
  TASK_NOT_CANCELABLE: 'TaskNotCancelableError',
  PUSH_NOTIFICATION_NOT_SUPPORTED: 'PushNotificationNotSupportedError',
  UNSUPPORTED_OPERATION: 'UnsupportedOperationError',
  CONTENT_TYPE_NOT_SUPPORTED: 'ContentTypeNotSupportedError',
  INVALID_AGENT_RESPONSE: 'InvalidAgentResponseError',
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 'AuthenticatedExtendedCardNotConfiguredError',
  EXTENSION_SUPPORT_REQUIRED: 'InvalidRequestError',
  VERSION_NOT_SUPPORTED: 'InvalidRequestError',
  PARSE_ERROR: 'JSONParseError',
  INVALID_REQUEST: 'InvalidRequestError',
  METHOD_NOT_FOUND: 'MethodNotFoundError',
  METHOD_NOT_ALLOWED: 'MethodNotFoundError',
  INVALID_PARAMS: 'InvalidParamsError',
  PAYLOAD_TOO_LARGE: 'InvalidRequestError',
  UNSUPPORTED_MEDIA_TYPE: 'ContentTypeNotSupportedError',
  UNAUTHENTICATED: 'InvalidRequestError',
  PERMISSION_DENIED: 'InvalidRequestError',
  RATE_LIMITED: 'InvalidRequestError',
  QUOTA_EXCEEDED: 'InvalidRequestError',
  NOT_FOUND: 'TaskNotFoundError',
  CONFLICT: 'InvalidParamsError',
  NO_ROUTE: 'InvalidParamsError',
  EGRESS_DENIED: 'InvalidParamsError',
  AGENT_UNREACHABLE: 'InternalError',
  AGENT_BUSY: 'InternalError',
  UNAVAILABLE: 'InternalError',
  INTERNAL: 'InternalError',
};

/**
 * An error of HTTP+JSON 0.3, as JSON text: bare, the `error` of JSON-RPC without its envelope. The
 * specification has no form for it, and two clients look for one of their own.
 */
export function errorTextOf(thrown: unknown, headers: IncomingHttpHeaders): string {
  const error = hubErrorOf(thrown);
  const bare = rpcErrorOf(error, '0.3');
  const { reads } = peerOf(headers);
  if (reads === 'status') return JSON.stringify({ ...bare, error: restErrorOf(error).error });
  if (reads !== 'class') return JSON.stringify(bare);
  return JSON.stringify({ ...bare, error: `io.a2a.spec.${CLASSES[error.reason]}` });
}
