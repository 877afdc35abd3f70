import { isRecord } from '../../common/is-record.js';
import { A2A_ERROR_CODES, ERROR_CODES } from '../../protocol/error-codes.js';
import { AgentCallError } from './agent-call-error.js';
import { type HubRefusal, hubRefusalOf } from './hub-refusal.js';

/** An error an agent answered with, in whichever form its protocol version gives it. */
export interface ProtocolError {
  /** The JSON-RPC code (A2A §5.4), also where the binding has another form. */
  readonly code: number | undefined;
  readonly message: string;
  /** The agent is a hub, and refused for this. */
  readonly hubRefusal?: HubRefusal | undefined;
}

/** The JSON-RPC code of the error with this `ErrorInfo.reason`; undefined when A2A has none such. */
export function codeOfReason(reason: string | undefined): number | undefined {
  return reason === undefined || !Object.hasOwn(A2A_ERROR_CODES, reason)
    ? undefined
    : A2A_ERROR_CODES[reason as keyof typeof A2A_ERROR_CODES];
}

/** The codes behind the names of errors that Java agents answer REST 0.3 with. */
const CODE_OF_NAME: Readonly<Record<string, number>> = {
  TaskNotFoundError: ERROR_CODES.TASK_NOT_FOUND,
  TaskNotCancelableError: ERROR_CODES.TASK_NOT_CANCELABLE,
  PushNotificationNotSupportedError: ERROR_CODES.PUSH_NOTIFICATION_NOT_SUPPORTED,
  UnsupportedOperationError: ERROR_CODES.UNSUPPORTED_OPERATION,
  ContentTypeNotSupportedError: ERROR_CODES.CONTENT_TYPE_NOT_SUPPORTED,
  InvalidAgentResponseError: ERROR_CODES.INVALID_AGENT_RESPONSE,
  AuthenticatedExtendedCardNotConfiguredError: ERROR_CODES.EXTENDED_AGENT_CARD_NOT_CONFIGURED,
  InvalidRequestError: ERROR_CODES.INVALID_REQUEST,
  MethodNotFoundError: ERROR_CODES.METHOD_NOT_FOUND,
  InvalidParamsError: ERROR_CODES.INVALID_PARAMS,
  InternalError: ERROR_CODES.INTERNAL,
  JSONParseError: ERROR_CODES.PARSE_ERROR,
};

/** Characters of the longest name of a class that is looked at. */
const MAX_CLASS_NAME = 500;

/** The error of an answer that names its class (`{"error": "io.a2a.spec.TaskNotFoundError", "message"}`). */
function namedErrorIn({ error, message }: Record<string, unknown>): ProtocolError | undefined {
  if (typeof error !== 'string' || typeof message !== 'string') return undefined;
  if (error.length > MAX_CLASS_NAME) return undefined;
  const name = /^[\w.]*\.(\w+)$/.exec(error)?.[1] ?? '';
  if (!Object.hasOwn(CODE_OF_NAME, name)) return undefined;
  return { code: CODE_OF_NAME[name], message: message || 'no message' };
}

/**
 * The error in a JSON answer, or undefined when it is none. Understood are JSON-RPC
 * (`{"error": {"code", "message"}}`), REST 1.0 (`{"error": {"status", "message", "details"}}`), REST 0.3
 * (`{"code", "message"}`) and how the Java SDK has that.
 */
export function protocolErrorIn(json: unknown): ProtocolError | undefined {
  if (!isRecord(json) || (json['result'] ?? undefined) !== undefined) return undefined;
  const named = namedErrorIn(json);
  if (named !== undefined) return named;
  const error = isRecord(json['error']) ? json['error'] : json;
  const { code, message, status, details, data } = error;
  const isError = error !== json || (typeof code === 'number' && typeof message === 'string');
  if (!isError) return undefined;
  const reasons = Array.isArray(details)
    ? details.filter(isRecord).map((one) => one['reason'])
    : [];
  const byReason = reasons.map((one) => codeOfReason(String(one))).find((one) => one);
  const ofStatus = status === 'NOT_FOUND' ? ERROR_CODES.TASK_NOT_FOUND : undefined;
  const written = typeof code === 'number' && code < 0 ? code : undefined;
  return {
    code: byReason ?? written ?? ofStatus,
    message: typeof message === 'string' && message !== '' ? message : 'no message',
    hubRefusal: hubRefusalOf(details ?? data),
  };
}

/** The codes behind the HTTP statuses of Python agents, which answer REST 0.3 with a bare message. */
const CODE_OF_BARE_STATUS: Readonly<Record<number, number>> = {
  400: ERROR_CODES.INVALID_REQUEST,
  409: ERROR_CODES.TASK_NOT_CANCELABLE,
  415: ERROR_CODES.CONTENT_TYPE_NOT_SUPPORTED,
  422: ERROR_CODES.INVALID_PARAMS,
  501: ERROR_CODES.UNSUPPORTED_OPERATION,
};

/** The error in an answer of nothing but `{"message"}`; undefined when it is none. */
export function bareErrorIn(json: unknown, httpStatus: number): ProtocolError | undefined {
  if (!isRecord(json) || typeof json['message'] !== 'string') return undefined;
  if (Object.keys(json).length !== 1) return undefined;
  const { message } = json;
  // Other things are not found as well: only the standard text (A2A 0.3 §8.2) means the task.
  const noTask = httpStatus === 404 && message === 'Task not found';
  const code = noTask ? ERROR_CODES.TASK_NOT_FOUND : CODE_OF_BARE_STATUS[httpStatus];
  return code === undefined ? undefined : { code, message };
}

/**
 * What an agent's error means for the call. Once the agent has shown an event it has accepted the
 * message, so an error then only ends the stream.
 */
export function failureOf(
  error: ProtocolError,
  when: { readonly httpStatus: number | undefined; readonly afterEvent: boolean },
): AgentCallError {
  const { code, message, hubRefusal } = error;
  const kind =
    code === ERROR_CODES.TASK_NOT_FOUND
      ? 'not-found'
      : when.afterEvent
        ? 'interrupted'
        : 'rejected';
  const text = `the agent answered: ${message}${code === undefined ? '' : ` (${code})`}`;
  return new AgentCallError(kind, text, {
    ...(when.httpStatus === undefined ? {} : { httpStatus: when.httpStatus }),
    ...(code === undefined ? {} : { code }),
    ...(hubRefusal === undefined ? {} : { hubRefusal }),
  });
}

/**
 * Statuses of what stands before an agent that may have passed the message on: the agent was too slow,
 * or its answer was lost or unreadable. 520 to 524 are those of Cloudflare; of them 521 and 523 say that
 * there was no connection.
 */
const PASSED_ON: ReadonlySet<number> = new Set([408, 502, 504, 520, 522, 524]);
/** The text Envoy answers with 503 when the connection ended after the request had left. */
const CUT_BEHIND_PROXY =
  /reset reason: (connection termination|remote reset|local reset|protocol error)/;

/**
 * What an HTTP status without a protocol error means: an interruption where the message may have been
 * passed on, else a refusal. A plain 500 or 503 is a refusal, since that is what balancers answer for an
 * agent that is gone, and the next agent is to be asked then.
 */
export function failureOfStatus(httpStatus: number, body: string): AgentCallError {
  const passedOn = PASSED_ON.has(httpStatus) || (httpStatus === 503 && CUT_BEHIND_PROXY.test(body));
  const kind = passedOn ? 'interrupted' : 'rejected';
  const redirect = httpStatus >= 300 && httpStatus < 400 ? ' (redirects are not followed)' : '';
  const excerpt = body.replace(/\s+/g, ' ').trim().slice(0, 200);
  const text = `the agent answered HTTP ${httpStatus}${redirect}${excerpt && `: ${excerpt}`}`;
  return new AgentCallError(kind, text, { httpStatus });
}
