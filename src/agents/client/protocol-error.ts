import { AgentCallError } from '../agent-client.js';

/** An error an agent answered with, in whichever form its protocol version gives it. */
export interface ProtocolError {
  /** The JSON-RPC code (A2A §5.4), also where the binding has another form. */
  readonly code: number | undefined;
  readonly message: string;
}

const TASK_NOT_FOUND = -32001;

/** `reason` of ErrorInfo in REST errors -> the JSON-RPC code of the same error (A2A §5.4). */
const CODE_OF_REASON: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND,
  TASK_NOT_CANCELABLE: -32002,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  INVALID_AGENT_RESPONSE: -32006,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  EXTENSION_SUPPORT_REQUIRED: -32008,
  VERSION_NOT_SUPPORTED: -32009,
};

/** The JSON-RPC code of the error with this `ErrorInfo.reason`; undefined when A2A has none such. */
export function codeOfReason(reason: string | undefined): number | undefined {
  return reason === undefined || !Object.hasOwn(CODE_OF_REASON, reason)
    ? undefined
    : CODE_OF_REASON[reason];
}

/**
 * The error in a JSON answer, or undefined when it is none. Understood are JSON-RPC
 * (`{"error": {"code", "message"}}`), REST 1.0 (`{"error": {"status", "message", "details"}}`) and
 * REST 0.3 (`{"code", "message"}`).
 */
export function protocolErrorIn(json: unknown): ProtocolError | undefined {
  if (!isObject(json) || (json['result'] ?? undefined) !== undefined) return undefined;
  const error = isObject(json['error']) ? json['error'] : json;
  const { code, message, status, details } = error;
  const isError = error !== json || (typeof code === 'number' && typeof message === 'string');
  if (!isError) return undefined;
  const reasons = Array.isArray(details)
    ? details.filter(isObject).map((one) => one['reason'])
    : [];
  const byReason = reasons.map((one) => codeOfReason(String(one))).find((one) => one);
  const ofStatus = status === 'NOT_FOUND' ? TASK_NOT_FOUND : undefined;
  const written = typeof code === 'number' && code < 0 ? code : undefined;
  return {
    code: byReason ?? written ?? ofStatus,
    message: typeof message === 'string' && message !== '' ? message : 'no message',
  };
}

/** The codes behind the HTTP statuses of Python agents, which answer REST 0.3 with a bare message. */
const CODE_OF_BARE_STATUS: Readonly<Record<number, number>> = {
  400: -32600,
  409: -32002,
  415: -32005,
  422: -32602,
  501: -32004,
};

/** The error in an answer of nothing but `{"message"}`; undefined when it is none. */
export function bareErrorIn(json: unknown, httpStatus: number): ProtocolError | undefined {
  if (!isObject(json) || typeof json['message'] !== 'string') return undefined;
  if (Object.keys(json).length !== 1) return undefined;
  const { message } = json;
  // Other things are not found as well: only the standard text (A2A 0.3 §8.2) means the task.
  const noTask = httpStatus === 404 && message === 'Task not found';
  const code = noTask ? TASK_NOT_FOUND : CODE_OF_BARE_STATUS[httpStatus];
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
  const { code, message } = error;
  const kind = code === TASK_NOT_FOUND ? 'not-found' : when.afterEvent ? 'interrupted' : 'rejected';
  const text = `the agent answered: ${message}${code === undefined ? '' : ` (${code})`}`;
  return new AgentCallError(kind, text, {
    ...(when.httpStatus === undefined ? {} : { httpStatus: when.httpStatus }),
    ...(code === undefined ? {} : { code }),
  });
}

/**
 * What an HTTP status without a protocol error means. 502 and 504 come from a proxy that may have
 * passed the message on; any other status is the agent's own refusal.
 */
export function failureOfStatus(httpStatus: number, body: string): AgentCallError {
  const kind = httpStatus === 502 || httpStatus === 504 ? 'interrupted' : 'rejected';
  const redirect = httpStatus >= 300 && httpStatus < 400 ? ' (redirects are not followed)' : '';
  const excerpt = body.replace(/\s+/g, ' ').trim().slice(0, 200);
  const text = `the agent answered HTTP ${httpStatus}${redirect}${excerpt && `: ${excerpt}`}`;
  return new AgentCallError(kind, text, { httpStatus });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
