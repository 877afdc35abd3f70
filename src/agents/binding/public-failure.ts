import { ERROR_CODES } from '../../protocol/error-codes.js';
import { HUB_REFUSALS, type HubRefusal } from './hub-refusal.js';

/** What a call to an agent may end with; {@link AgentCallError} tells what each means. */
export type AgentFailureKind = 'unreachable' | 'rejected' | 'interrupted' | 'invalid' | 'not-found';

/** What the agent's answer carried of numbers, and of a hub's reasons. */
interface AgentFailureNumbers {
  /** JSON-RPC code. */
  readonly code?: number;
  readonly httpStatus?: number;
  /** The agent is a hub, and refused for this. */
  readonly hubRefusal?: HubRefusal;
  /** The limit of the hub that the answer passes, as a clause. */
  readonly limit?: string;
}

/** The errors of A2A §5.4 and of JSON-RPC, in words that say nothing of the one case. */
const CODE_WORDS: Readonly<Record<number, string>> = {
  [ERROR_CODES.TASK_NOT_FOUND]: 'the task is not known',
  [ERROR_CODES.TASK_NOT_CANCELABLE]: 'the task cannot be canceled',
  [ERROR_CODES.PUSH_NOTIFICATION_NOT_SUPPORTED]: 'push notifications are not supported',
  [ERROR_CODES.UNSUPPORTED_OPERATION]: 'the operation is not supported',
  [ERROR_CODES.CONTENT_TYPE_NOT_SUPPORTED]: 'the content type is not supported',
  [ERROR_CODES.INVALID_AGENT_RESPONSE]: 'invalid agent response',
  [ERROR_CODES.EXTENDED_AGENT_CARD_NOT_CONFIGURED]: 'there is no extended agent card',
  [ERROR_CODES.EXTENSION_SUPPORT_REQUIRED]: 'an extension is required',
  [ERROR_CODES.VERSION_NOT_SUPPORTED]: 'the protocol version is not supported',
  [ERROR_CODES.INVALID_REQUEST]: 'invalid request',
  [ERROR_CODES.METHOD_NOT_FOUND]: 'the method is not known',
  [ERROR_CODES.INVALID_PARAMS]: 'invalid parameters',
  [ERROR_CODES.INTERNAL]: 'internal error',
  [ERROR_CODES.PARSE_ERROR]: 'the request is not JSON',
};

/**
 * A failure in the hub's own words, as a predicate to follow the agent's name (`could not be
 * reached`). Nothing the agent or the network wrote is in it, so that neither the agent's ids nor its
 * address get to clients.
 */
export function publicFailure(kind: AgentFailureKind, numbers: AgentFailureNumbers): string {
  switch (kind) {
    case 'unreachable':
      return 'could not be reached';
    case 'rejected':
      return rejection(numbers);
    case 'interrupted':
      return `broke off${inBrackets(numbers)}`;
    case 'invalid':
      return numbers.limit === undefined
        ? 'gave an answer that is not A2A'
        : `gave an answer that ${numbers.limit}`;
    case 'not-found':
      return 'does not know the task';
  }
}

function rejection(numbers: AgentFailureNumbers): string {
  const { httpStatus, hubRefusal } = numbers;
  if (hubRefusal !== undefined) return `refused the request (${HUB_REFUSALS[hubRefusal]})`;
  if (codeWords(numbers) === undefined) {
    if (httpStatus === 401 || httpStatus === 403) {
      return `does not accept the hub's credentials (HTTP ${httpStatus})`;
    }
    if (httpStatus !== undefined && httpStatus >= 300) return `answered HTTP ${httpStatus}`;
  }
  return `refused the request${inBrackets(numbers)}`;
}

function inBrackets(numbers: AgentFailureNumbers): string {
  const { httpStatus } = numbers;
  const failed = httpStatus !== undefined && httpStatus >= 300 ? `HTTP ${httpStatus}` : undefined;
  const words = codeWords(numbers) ?? failed;
  return words === undefined ? '' : ` (${words})`;
}

/** Other numbers are the agent's own, and could be an id. */
function codeWords({ code }: AgentFailureNumbers): string | undefined {
  if (code === undefined || !Number.isInteger(code) || code < -32768 || code > -32000) {
    return undefined;
  }
  const words = CODE_WORDS[code];
  return words === undefined ? `error ${code}` : `${words}, ${code}`;
}
