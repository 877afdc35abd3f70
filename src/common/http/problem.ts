import { STATUS_CODES } from 'node:http';
import type { ErrorReason, FieldViolation, HubError } from '../hub-error.js';

/** An error of the admin API (RFC 9457). */
export interface Problem {
  /** `urn:a2a-hub:error:<reason>`; programs decide by this. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The fields at fault, by their path in the request. */
  readonly errors?: readonly FieldViolation[];
  /** Further facts, such as the skills that could have been asked for. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The media type of {@link Problem}. */
export const PROBLEM_JSON = 'application/problem+json';

const STATUS: Readonly<Record<ErrorReason, number>> = {
  TASK_NOT_FOUND: 404,
  TASK_NOT_CANCELABLE: 409,
  PUSH_NOTIFICATION_NOT_SUPPORTED: 400,
  UNSUPPORTED_OPERATION: 400,
  CONTENT_TYPE_NOT_SUPPORTED: 415,
  INVALID_AGENT_RESPONSE: 502,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: 400,
  EXTENSION_SUPPORT_REQUIRED: 400,
  VERSION_NOT_SUPPORTED: 400,
  PARSE_ERROR: 400,
  INVALID_REQUEST: 400,
  METHOD_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  INVALID_PARAMS: 400,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  RATE_LIMITED: 429,
  QUOTA_EXCEEDED: 429,
  NOT_FOUND: 404,
  CONFLICT: 409,
  NO_ROUTE: 422,
  EGRESS_DENIED: 422,
  AGENT_UNREACHABLE: 422,
  AGENT_BUSY: 503,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

/** The problem that tells of an error; its reason and message are safe to show. */
export function problemOf(error: HubError): Problem {
  const status = STATUS[error.reason];
  return {
    type: `urn:a2a-hub:error:${error.reason.toLowerCase().replaceAll('_', '-')}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: error.message,
    ...(error.violations.length > 0 ? { errors: error.violations } : {}),
    ...(Object.keys(error.metadata).length > 0 ? { metadata: error.metadata } : {}),
  };
}
