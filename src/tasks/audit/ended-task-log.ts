import { traceIdOf } from '../../common/tracing/trace-context.js';
import { Log } from '../../common/logger.js';
import { TaskState } from '../../protocol/a2a.js';
import type { EndedDelegation, EndedTask } from '../store/ended-task.js';

/** Agents of a task that a line names. */
const MOST_AGENTS = 20;

/** Writes one line for each task that has ended: whose it was, who worked on it and how it went; nothing of what was said. */
export class EndedTaskLog {
  constructor(
    /** What is written is chosen here, name by name: no credentials have to be looked for. */
    private readonly log: Pick<Log, 'info'>,
  ) {}

  write(task: EndedTask): void {
    this.log.info(fieldsOf(task), 'task ended');
  }
}

function fieldsOf(task: EndedTask): object {
  const { delegations, route } = task;
  return {
    taskId: task.id,
    contextId: task.contextId,
    state: TaskState[task.state],
    reason: task.endCode ?? undefined,
    ms: between(task.createdAt, task.statusAt),
    queuedMs: queuedOf(delegations),
    calls: delegations.reduce((sum, { calls }) => sum + calls, 0),
    routedBy: route.reason,
    strategy: route.strategy,
    rule: route.rule,
    composite: route.composite,
    agents: delegations.slice(0, MOST_AGENTS).map(agentOf),
    moreAgents: Math.max(0, delegations.length - MOST_AGENTS) || undefined,
    caller: task.principalId,
    organization: task.organization,
    keyId: task.keyId ?? undefined,
    requestId: task.requestId ?? undefined,
    traceId: traceIdOf(task.traceparent),
  };
}

function agentOf({
  agentId,
  skillId,
  state,
  endCode,
  calls,
  begunAt,
  times,
}: EndedDelegation): object {
  return {
    agent: agentId,
    skill: skillId ?? undefined,
    state,
    reason: endCode ?? undefined,
    calls,
    ...(begunAt !== null &&
      times?.endedAt !== undefined && { ms: times.endedAt - begunAt.getTime() }),
  };
}

/** How long the first message was not sent; undefined where none was. */
function queuedOf(delegations: readonly EndedDelegation[]): number | undefined {
  const waits = delegations.flatMap(({ begunAt, times }) =>
    begunAt === null || times?.sentAt === undefined ? [] : [times.sentAt - begunAt.getTime()],
  );
  return waits.length === 0 ? undefined : Math.max(0, Math.min(...waits));
}

function between(begun: Date, ended: Date): number {
  return Math.max(0, ended.getTime() - begun.getTime());
}
