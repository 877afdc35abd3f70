import type { Agent } from '../agent.js';
import { AgentCallError } from '../binding/agent-call-error.js';
import { requiredSecurity, lackingSecurity, sentCredentials } from '../card/required-security.js';

/**
 * A refusal of the hub's credentials with what the card asks for and what was sent, by names, before the words of the agent: for
 * operators, as every message is. Any other failure as it is.
 */
export function explained(failure: AgentCallError, agent: Agent): AgentCallError {
  const { kind, message, detail } = failure;
  const { httpStatus } = detail;
  if (kind !== 'rejected' || (httpStatus !== 401 && httpStatus !== 403)) return failure;
  return new AgentCallError(
    kind,
    `${requirementOf(agent)}; the hub sent ${sentCredentials(agent)}; ${message}`,
    detail,
  );
}

function requirementOf(agent: Agent): string {
  if (requiredSecurity(agent).length === 0) return 'the card asks for no authentication';
  return lackingSecurity(agent) ?? 'the card asks for nothing else than what is set';
}
