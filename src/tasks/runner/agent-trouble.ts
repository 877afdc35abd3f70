import type { AgentCallError } from '../../agents/index.js';
import { scrub } from '../../common/scrub.js';
import type { AgentTrouble } from '../task.js';
import type { RunContext } from './run-context.js';

/** Characters that are kept of what was wrong. */
const MAX_TEXT = 500;

/**
 * What clients may read of a failed call, as a clause with the agent's name in it (`Agent A could not
 * be reached`). What the agent or the network really said goes to the log, for operators.
 */
export function toldOf(run: RunContext, error: AgentCallError): string {
  noteTrouble(run, error);
  return `${run.agentName} ${error.publicMessage}`;
}

/** Logs a failed call as the agent or the network put it, and remembers it for the record. */
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

/** What is kept of a failed call; `ids` are the agent's own, which leave the hub nowhere. */
export function troubleOf(
  agentId: string,
  { kind, message, detail: { code, httpStatus } }: AgentCallError,
  at: Date,
  ids: readonly string[],
): AgentTrouble {
  const text = scrub(message.slice(0, 4 * MAX_TEXT), ids).replace(CONTROLS, escaped);
  return {
    agentId,
    at: at.getTime(),
    kind,
    ...(code !== undefined && { code }),
    ...(httpStatus !== undefined && { httpStatus }),
    text: text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/, ''),
  };
}

/** What would break a line, or turn the direction of what stands behind it. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}
