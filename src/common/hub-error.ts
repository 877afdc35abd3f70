/**
 * What went wrong, said once and without any wire code. Each binding maps a reason to its own form
 * (`a2a/error-map.ts` for the A2A API, `common/http/problem.ts` for the admin API); both
 * maps are `Record<ErrorReason, …>`, so a new reason without a mapping does not compile.
 *
 * The first block are the errors of the A2A specification (§3.3.2), under the `reason` of its
 * `google.rpc.ErrorInfo`.
 */
export type ErrorReason =
  | 'TASK_NOT_FOUND'
  | 'TASK_NOT_CANCELABLE'
  | 'PUSH_NOTIFICATION_NOT_SUPPORTED'
  | 'UNSUPPORTED_OPERATION'
  | 'CONTENT_TYPE_NOT_SUPPORTED'
  | 'INVALID_AGENT_RESPONSE'
  | 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'
  | 'EXTENSION_SUPPORT_REQUIRED'
  | 'VERSION_NOT_SUPPORTED'
  // the request itself
  | 'PARSE_ERROR'
  | 'INVALID_REQUEST'
  | 'METHOD_NOT_FOUND'
  /** HTTP: the path is right, the method is not. */
  | 'METHOD_NOT_ALLOWED'
  | 'INVALID_PARAMS'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  // the caller
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RATE_LIMITED'
  /** The caller, or its organization, has as much of the hub as it may have. */
  | 'QUOTA_EXCEEDED'
  // the hub's own resources
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'NO_ROUTE'
  | 'EGRESS_DENIED'
  | 'AGENT_UNREACHABLE'
  /** Every agent that could take the message has its queue full. */
  | 'AGENT_BUSY'
  | 'UNAVAILABLE'
  | 'INTERNAL';

/** One field that is wrong, by its path in the request (`message.parts[0].text`). */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** A limit that was reached, and whose it is; of a share of the process none but `kind`. */
export interface ReachedLimit {
  /** What it limits: `openTasks`, `requestsPerSecond` … */
  readonly kind: string;
  readonly organization?: string;
  /** A principal's id. */
  readonly principal?: string;
  readonly agent?: string;
  /** `AGENT.SKILL`. */
  readonly skill?: string;
}

/** A caller that the hub knows and does not let in. */
export interface RefusedCaller {
  readonly id: string;
  readonly organization: string;
  readonly keyId?: string;
  readonly identityId?: string;
  readonly issuer?: string;
  readonly chain?: { readonly hub?: string };
}

/** Why a caller was refused, for the audit log: words of the hub alone, none of the caller's. */
export interface Refusal {
  /** What is wrong with its credential: `no-credential`, `unknown-key`, `expired-key` … */
  readonly cause?: string;
  /** Which of the accepted issuers has signed its token. */
  readonly issuer?: string;
  /** Which of them a token names that none of its keys is known to have signed. */
  readonly claimedIssuer?: string;
  /** Who it is, where that is known although it is not let in. */
  readonly caller?: RefusedCaller;
  /** The scope it lacks. */
  readonly scope?: string;
  /** The policies that refused it, by their ids. */
  readonly policy?: string;
  /** The registered agent that they keep from the caller, by its id. */
  readonly agent?: string;
  /** Of RATE_LIMITED and QUOTA_EXCEEDED. */
  readonly limit?: ReachedLimit;
}

export interface HubErrorOptions {
  /** Flat details that may be shown to the caller (`ErrorInfo.metadata`); never a secret. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The fields at fault, when the request is. */
  readonly violations?: readonly FieldViolation[];
  readonly cause?: unknown;
  /** Of UNAUTHENTICATED and PERMISSION_DENIED, of what a policy hides, of limits, and of issuers that are away; not shown to the caller. */
  readonly refusal?: Refusal;
}

/** An error whose reason and message may be shown to the caller. Anything else is INTERNAL. */
export class HubError extends Error {
  override readonly name = 'HubError';
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly refusal: Refusal | undefined;

  constructor(
    readonly reason: ErrorReason,
    message: string,
    options: HubErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.metadata = options.metadata ?? {};
    this.violations = options.violations ?? [];
    this.refusal = options.refusal;
  }

  /** The same to whoever reads it, with why the caller was refused for the audit log. */
  refusedFor(refusal: Refusal): HubError {
    const { reason, message, metadata, violations, cause } = this;
    return new HubError(reason, message, { metadata, violations, cause, refusal });
  }
}

/** The INVALID_PARAMS error for one field. */
export function invalidField(field: string, description: string): HubError {
  return invalidFields([{ field, description }]);
}

/** The INVALID_PARAMS error for these fields; its message is a sentence about each. */
export function invalidFields(violations: readonly FieldViolation[]): HubError {
  const sentences = violations.map(
    ({ field, description }) => `${field || 'params'} ${description}`,
  );
  return new HubError('INVALID_PARAMS', sentences.join('; '), { violations });
}

/**
 * The fields of the log that say why something did not work: a plain reason where it was foreseen (an agent that is
 * away), the error with its stack where the hub or its database is at fault.
 */
export function whyOf(thrown: unknown): { reason: ErrorReason; why: string } | { err: unknown } {
  const isForeseen =
    thrown instanceof HubError && thrown.reason !== 'INTERNAL' && thrown.reason !== 'UNAVAILABLE';
  return isForeseen ? { reason: thrown.reason, why: thrown.message } : { err: thrown };
}

/** What an error of the HTTP framework means. */
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

const NOT_VALID = 'The request is not valid.';

/** Where the framework's own words do not say what to do. */
const TEXT_OF_STATUS: Readonly<Record<number, string>> = {
  415: 'The header Content-Type is missing or not that of JSON: send Content-Type: application/json.',
};

/** What the hub itself needs is away for the moment, its database above all: no request is at fault, and each may be tried again. */
export class UnavailableError extends Error {}

/** What callers get to know of a database that is in trouble. */
export function databaseAway(cause: unknown): HubError {
  return new HubError('UNAVAILABLE', 'The hub cannot use its database at the moment; try again.', {
    cause,
    metadata: { retryAfterSeconds: '1' },
  });
}

/**
 * Whatever was thrown, as a {@link HubError}: one stays itself, an error of the framework keeps its
 * meaning, {@link UnavailableError} is UNAVAILABLE and anything else INTERNAL; neither says anything of itself.
 */
export function hubErrorOf(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  if (thrown instanceof UnavailableError) return databaseAway(thrown);
  const { status, statusCode, message, cause } = (thrown ?? {}) as Record<string, unknown>;
  const http = typeof status === 'number' ? status : statusCode;
  if (typeof http !== 'number' || http < 400 || http >= 500) {
    return new HubError('INTERNAL', 'The hub failed; its log says why.', { cause: thrown });
  }
  const reason = isBadJson(cause ?? thrown) ? 'PARSE_ERROR' : REASON_OF_STATUS[http];
  const text = TEXT_OF_STATUS[http] ?? (typeof message === 'string' ? message : NOT_VALID);
  return new HubError(reason ?? 'INVALID_REQUEST', text, { cause: thrown });
}

/** What an operator has to know of a failed request, as its caller is not at fault and gets to know nothing of it; undefined for any other. */
export function faultOf(error: HubError): unknown {
  if (error.reason === 'INTERNAL') return error.cause ?? error;
  return error.cause instanceof UnavailableError ? error.cause : undefined;
}

/** Fastify's error for a body that is not JSON; Nest hands it on as the cause of its own. */
function isBadJson(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'FST_ERR_CTP_INVALID_JSON_BODY';
}
