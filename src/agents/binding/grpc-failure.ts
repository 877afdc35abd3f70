import { type ServiceError, status } from '@grpc/grpc-js';
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { scrub } from '../../common/scrub.js';
import { ERROR_CODES } from '../../protocol/error-codes.js';
import { AgentCallError } from './agent-call-error.js';
import { hubRefusalOf } from './hub-refusal.js';
import { codeOfReason, failureOf } from './protocol-error.js';

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/** Statuses that say the call was lost or given up, not that it was refused. */
const LOST: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/** The JSON-RPC codes of statuses that have one meaning in A2A, whatever the details say (§5.4). */
const CODE_OF_STATUS: Readonly<Record<number, number>> = {
  [status.NOT_FOUND]: ERROR_CODES.TASK_NOT_FOUND,
  [status.INVALID_ARGUMENT]: ERROR_CODES.INVALID_PARAMS,
  [status.UNIMPLEMENTED]: ERROR_CODES.METHOD_NOT_FOUND,
  [status.INTERNAL]: ERROR_CODES.INTERNAL,
};

/** The HTTP statuses that say the same, for refusals that are none of A2A's. */
const HTTP_OF_STATUS: Readonly<Record<number, number>> = {
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.RESOURCE_EXHAUSTED]: 429,
};

/** What grpc-js itself says of an answer that it cannot take. */
const UNREADABLE = /^(Response message parsing error|Received message larger than max)/;
/** What grpc-js says when a stream ends without a status of the agent. */
const CUT = /^(Received RST_STREAM|Call ended without gRPC status)/;

/**
 * What the status a call ended with means: by its `google.rpc.ErrorInfo`, else by the name of the error
 * that Python agents of 0.3 begin their text with, else by the status alone.
 */
export function failureOfGrpc(
  error: ServiceError,
  when: { readonly afterEvent: boolean; readonly secrets: readonly string[] },
): AgentCallError {
  const text = scrub(error.details ?? '', when.secrets);
  const said = `${status[error.code] ?? error.code}${text && `: ${text}`}`;
  const info = infoIn(error);
  const code = codeOfReason(info?.reason) ?? codeOfReason(reasonOfName(text));
  if (code === undefined) {
    if (UNREADABLE.test(text)) {
      return new AgentCallError('invalid', `the agent's answer is not A2A: ${text}`);
    }
    if (LOST.has(error.code) || CUT.test(text)) {
      return new AgentCallError('interrupted', `the connection broke off: ${said}`);
    }
  }
  return failureOf(
    {
      code: code ?? CODE_OF_STATUS[error.code],
      message: said,
      hubRefusal: hubRefusalOf(info),
    },
    { httpStatus: HTTP_OF_STATUS[error.code], afterEvent: when.afterEvent },
  );
}

function infoIn({ metadata }: ServiceError): ReturnType<typeof decodeErrorInfo> | undefined {
  const [details] = metadata?.get(GRPC_STATUS_DETAILS_BIN) ?? [];
  if (details === undefined) return undefined;
  try {
    const info = decodeStatus(Buffer.from(details)).details.find(
      ({ typeUrl }) => typeUrl === ERROR_INFO,
    );
    return info && decodeErrorInfo(Buffer.from(info.value));
  } catch {
    // Bytes that are no google.rpc.Status: the status itself is left.
    return undefined;
  }
}

/** `TaskNotCancelableError: …` -> `TASK_NOT_CANCELABLE`. */
function reasonOfName(text: string): string | undefined {
  const name = /^([A-Z][A-Za-z]+)Error\b/.exec(text)?.[1];
  return name?.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}
