import { actorOf, type AuditEntry } from '../../audit/index.js';
import { traceIdOf } from '../../common/tracing/trace-context.js';
import { TaskState } from '../../protocol/a2a.js';
import type { EndedTask } from '../store/ended-task.js';

/** What the audit log tells of a task: whose it was, how it ended, and which agents had a part in it. */
export function entryOf(task: EndedTask): AuditEntry {
  const traceId = traceIdOf(task.traceparent);
  return {
    action: 'tasks.end',
    outcome: task.state === TaskState.TASK_STATE_COMPLETED ? 'succeeded' : 'failed',
    actor: actorOf({
      id: task.principalId,
      organization: task.organization,
      keyId: task.keyId ?? undefined,
      identityId: task.identityId ?? undefined,
      issuer: task.issuer ?? undefined,
      chain: task.chain ?? undefined,
    }),
    resource: { type: 'tasks', id: task.id },
    requestId: task.requestId,
    policy: null,
    details: {
      state: TaskState[task.state],
      reason: task.endCode ?? undefined,
      traceId,
      createdAt: task.createdAt.toISOString(),
      endedAt: task.statusAt.toISOString(),
      delegations: task.delegations.map(
        ({ agentId, skillId, state, endCode, calls, begunAt, updatedAt }) => ({
          agent: agentId,
          skill: skillId,
          state,
          reason: endCode ?? undefined,
          calls,
          begunAt: begunAt?.toISOString() ?? null,
          changedAt: updatedAt.toISOString(),
        }),
      ),
    },
  };
}
