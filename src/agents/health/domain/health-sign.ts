import { ERROR_CODES } from '../../../protocol/error-codes.js';
import type { AgentCallError } from '../../binding/agent-call-error.js';

/** Statuses below 500 that say of the agent, not of the one request, that nothing can be done there. */
const USELESS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 429]);

/**
 * What a failed call says of the agent's health.
 * - `fault`: the agent, or the way to it, is not in order.
 * - `alive`: it refused this one request as A2A has it, or asked for another one.
 * - `nothing`: no agent was asked.
 */
export type HealthSign = 'fault' | 'alive' | 'nothing';

export function signOf({ kind, detail }: Pick<AgentCallError, 'kind' | 'detail'>): HealthSign {
  if (detail.agentUnasked === true) return 'nothing';
  switch (kind) {
    case 'unreachable':
    case 'interrupted':
    case 'invalid':
      return 'fault';
    case 'not-found':
      return 'alive';
    case 'rejected':
      return signOfRejection(detail);
  }
}

/** Whether an agent that refused a call so is not in order, rather than that it refused this one request. */
export function isFaultyRefusal(
  detail: Pick<AgentCallError['detail'], 'code' | 'httpStatus'>,
): boolean {
  return signOfRejection(detail) === 'fault';
}

function signOfRejection({ code, httpStatus }: AgentCallError['detail']): HealthSign {
  if (code === ERROR_CODES.INTERNAL) return 'fault';
  if (code !== undefined) return 'alive';
  if (httpStatus === undefined) return 'nothing';
  const isRedirect = httpStatus >= 300 && httpStatus < 400;
  return httpStatus >= 500 || isRedirect || USELESS_STATUSES.has(httpStatus) ? 'fault' : 'alive';
}
