import type { AgentCallError } from '../../agents/index.js';
import type { RunContext } from './run-context.js';

/**
 * What clients may read of a failed call, as a clause with the agent's name in it (`Agent A could not
 * be reached`). What the agent or the network really said goes to the log, for operators.
 */
export function toldOf(run: RunContext, error: AgentCallError): string {
  noteTrouble(run, error);
  return `${run.agentName} ${error.publicMessage}`;
}

/** Logs a failed call as the agent or the network put it. */
export function noteTrouble({ deps, delegation }: RunContext, error: AgentCallError): void {
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
