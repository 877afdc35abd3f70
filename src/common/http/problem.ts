import { STATUS_CODES } from 'node:http';
import { type ErrorReason, type FieldViolation, HubError } from '../hub-error.js';

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
  NOT_FOUND: 404,
  CONFLICT: 409,
  NO_ROUTE: 422,
  EGRESS_DENIED: 422,
  AGENT_UNREACHABLE: 422,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

const REASON_OF_STATUS: Readonly<Record<number, ErrorReason>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  503: 'UNAVAILABLE',
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

/**
 * Whatever was thrown, as a {@link HubError}: one stays itself, an error of the framework keeps its
 * meaning, anything else is INTERNAL and says nothing of itself.
 */
export function hubErrorOf(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  const { status, statusCode, message, cause } = (thrown ?? {}) as Record<string, unknown>;
  const http = typeof status === 'number' ? status : statusCode;
  if (typeof http !== 'number' || http < 400 || http >= 500) {
    return new HubError('INTERNAL', 'The hub failed; its log says why.', { cause: thrown });
  }
  const reason = isBadJson(cause ?? thrown) ? 'PARSE_ERROR' : REASON_OF_STATUS[http];
  const text = typeof message === 'string' ? message : 'The request is not valid.';
  return new HubError(reason ?? 'INVALID_REQUEST', text, { cause: thrown });
}

/** Fastify's error for a body that is not JSON; Nest hands it on as the cause of its own. */
function isBadJson(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'FST_ERR_CTP_INVALID_JSON_BODY';
}
