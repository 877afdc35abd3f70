import type { AgentCallError } from '../../agents/index.js';
import { safeWords } from '../../common/safe-words.js';
import type { AgentTrouble, EndCode } from '../task.js';
import type { RunContext } from './run-context.js';

/**
 * What clients may read of a failed call, as a clause with the agent's name in it (`Agent A could not
 * be reached`). The error text of the agent or the network goes to the log, for operators.
 */
export function publicReason(run: RunContext, error: AgentCallError): string {
  noteTrouble(run, error);
  return `${run.agentName} ${error.publicMessage}`;
}

/** What a failed call means for a delegation that ends by it; `hasTask`: the agent has a task of it. */
export function endCodeOf({ kind, detail }: AgentCallError, hasTask: boolean): EndCode {
  if (detail.lacks === 'consent') return 'CONSENT_MISSING';
  if (detail.lacks !== undefined || detail.unproven === true) return 'CREDENTIALS_MISSING';
  switch (kind) {
    case 'unreachable':
      return 'AGENT_UNREACHABLE';
    case 'interrupted':
      return 'OUTCOME_UNKNOWN';
    case 'invalid':
      return detail.limit === undefined ? 'INVALID_AGENT_RESPONSE' : 'RESPONSE_TOO_LARGE';
    case 'not-found':
      return hasTask ? 'AGENT_LOST_TASK' : 'AGENT_REFUSED';
    case 'rejected':
      return codeOfRefusal(detail);
  }
}

const BUSY_STATUSES: ReadonlySet<number | undefined> = new Set([429, 503]);
const BUSY_HUB: ReadonlySet<string | undefined> = new Set([
  'AGENT_BUSY',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'UNAVAILABLE',
]);

function codeOfRefusal({ httpStatus, hubRefusal }: AgentCallError['detail']): EndCode {
  if (BUSY_HUB.has(hubRefusal)) return 'AGENT_BUSY';
  if (hubRefusal !== undefined) return 'AGENT_REFUSED';
  if (httpStatus === 401 || httpStatus === 403) return 'CREDENTIALS_REFUSED';
  return BUSY_STATUSES.has(httpStatus) ? 'AGENT_BUSY' : 'AGENT_REFUSED';
}

/** Logs a failed call with the error text of the agent or the network, and keeps it for the record of the delegation. */
export function noteTrouble(run: RunContext, error: AgentCallError): void {
  const { deps, delegation } = run;
  const ids = [run.downstreamTaskId ?? '', delegation.downstreamContextId ?? ''];
  run.trouble = troubleOf(delegation.agentId, error, deps.clock.now(), ids);
  const { id: delegationId, taskId, agentId } = delegation;
  const { kind, message: reason, detail } = error;
  const { code, httpStatus } = detail;
  deps.logger.warn(
    {
      taskId,
      delegationId,
      agentId,
      kind,
      ...(code !== undefined && { code }),
      ...(httpStatus !== undefined && { httpStatus }),
      reason,
    },
    'a call to an agent failed',
  );
}

/** What is stored of a failed call; `ids` are the agent's own, which never leave the hub. */
export function troubleOf(
  agentId: string,
  { kind, message, detail: { code, httpStatus } }: AgentCallError,
  at: Date,
  ids: readonly string[],
): AgentTrouble {
  return {
    agentId,
    at: at.getTime(),
    kind,
    ...(code !== undefined && { code }),
    ...(httpStatus !== undefined && { httpStatus }),
    text: safeWords(message, ids),
  };
}
