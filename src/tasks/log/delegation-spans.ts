import type { Tracing } from '../../common/tracing/tracing.js';
import { ATTR, INVOKE_AGENT, SPAN } from '../../observability/tracing/span-names.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import type { Delegation, DelegationState, TaskRecord } from '../task.js';

const FAILURES: ReadonlySet<DelegationState> = new Set(['failed', 'rejected']);

/**
 * Records each delegation that these commits have ended, from when it was queued. Only one process commits an end, and the id of
 * the span is made of the delegation's: calls to the agent are its children, whichever process made them, and a restart changes
 * nothing.
 */
export function recordEnded(
  tracing: Pick<Tracing, 'record'>,
  committed: readonly PreparedAppend[],
): void {
  for (const { record, delegations } of committed) {
    if (record.traceparent === null) continue;
    for (const { delegation, ended } of delegations) {
      if (ended) recordDelegation(tracing, record, record.traceparent, delegation);
    }
  }
}

function recordDelegation(
  tracing: Pick<Tracing, 'record'>,
  record: TaskRecord,
  traceparent: string,
  delegation: Delegation,
): void {
  const { id, begunAt, updatedAt, agentId, agentName, skillId, state, calls, step } = delegation;
  // What was skipped has never begun.
  if (begunAt === null) return;
  tracing.record({
    traceparent,
    idOf: id,
    name: SPAN.invokeAgent(agentName),
    kind: 'internal',
    begunAt,
    endedAt: updatedAt,
    attributes: {
      [ATTR.GEN_AI_OPERATION]: INVOKE_AGENT,
      [ATTR.GEN_AI_AGENT_ID]: agentId,
      [ATTR.GEN_AI_AGENT_NAME]: agentName,
      [ATTR.GEN_AI_CONVERSATION]: record.contextId,
      [ATTR.TASK_ID]: record.id,
      [ATTR.DELEGATION_ID]: id,
      [ATTR.DELEGATION_STATE]: state,
      [ATTR.DELEGATION_CALLS]: calls,
      [ATTR.STEP]: step,
      ...(skillId !== null && { [ATTR.SKILL_ID]: skillId }),
    },
    failure: FAILURES.has(state) ? state : undefined,
  });
}
