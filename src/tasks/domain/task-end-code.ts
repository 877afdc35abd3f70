import { isFaultyRefusal } from '../../agents/index.js';
import { TaskState } from '../../protocol/a2a.js';
import type { PlanStep } from '../../routing/index.js';
import type { Delegation, DelegationProgress, EndCode, TaskRecord } from '../task.js';
import { cancelOf } from './operator-actions.js';
import { stepStatus } from './step-status.js';

/** What of a delegation says why its task has ended. */
export type EndedPart = Pick<Delegation, 'step' | 'agentName' | 'state' | 'reason'> & {
  readonly progress: Pick<Delegation['progress'], 'endCode' | 'times'>;
};

/** Codes of what follows from the end of another delegation. */
const FOLLOWS: ReadonlySet<EndCode> = new Set(['STEP_FAILED', 'STEP_SKIPPED', 'NOT_NEEDED']);

const REQUESTED: ReadonlySet<EndCode> = new Set([
  'CANCELED_BY_CLIENT',
  'CANCELED_BY_OPERATOR',
  'OWNER_DELETED',
]);

/**
 * Codes of what the agent itself did, or did not do. What may have been the hub, its client or an operator is none; nor is
 * DEADLINE_EXCEEDED, for the time of a task goes on while it is in a queue of the hub and while its client is to answer.
 */
const AGENT_FAULTS: ReadonlySet<EndCode> = new Set([
  'AGENT_FAILED',
  'AGENT_UNREACHABLE',
  'AGENT_TIMEOUT',
  'AGENT_LOST_TASK',
  'INVALID_AGENT_RESPONSE',
  'RESPONSE_TOO_LARGE',
]);

/** Of these the answer says whether the agent is not in order, or refused this one request or this hub's share. */
const REFUSALS: ReadonlySet<EndCode> = new Set(['AGENT_REFUSED', 'AGENT_BUSY']);

/**
 * Why a task has ended without completing; null for a completed one, and where no delegation says it. That is the
 * request that canceled it; else the last failure of a step that was needed, for by it the task could not complete any
 * more; else the last of any.
 */
export function taskEndCode(
  task: Pick<TaskRecord, 'state' | 'plan' | 'cancelRequestedAt' | 'cancelMetadata'>,
  delegations: readonly EndedPart[],
): EndCode | null {
  const { state, plan, cancelRequestedAt, cancelMetadata } = task;
  if (state === TaskState.TASK_STATE_COMPLETED) return null;
  if (state === TaskState.TASK_STATE_CANCELED && cancelRequestedAt !== null) {
    return cancelOf(cancelMetadata).code;
  }
  const missed = delegations.filter(({ step }) => isMissed(plan[step], step, delegations));
  const failed = (missed.length > 0 ? missed : delegations).filter(({ progress }) =>
    isOwnFailure(progress.endCode),
  );
  return lastOf(failed)?.progress.endCode ?? null;
}

/** Nothing but its own end is the cause of it. */
export function isOwnFailure(code: EndCode | undefined): boolean {
  return code !== undefined && !FOLLOWS.has(code);
}

/** A delegation that failed so has failed by the fault of its agent: a refusal only where it is a failed call, too. */
export function isAgentsFault({
  endCode,
  trouble,
}: Pick<DelegationProgress, 'endCode' | 'trouble'>): boolean {
  if (endCode === undefined) return false;
  if (!REFUSALS.has(endCode)) return AGENT_FAULTS.has(endCode);
  return trouble?.kind === 'rejected' && isFaultyRefusal(trouble);
}

/** Somebody wanted it to end. */
export function isCanceledByRequest(code: EndCode): boolean {
  return REQUESTED.has(code);
}

/** The step was needed, and its policy was not met. */
function isMissed(
  step: PlanStep | undefined,
  index: number,
  delegations: readonly EndedPart[],
): boolean {
  if (step === undefined || step.isOptional) return false;
  const members = delegations.filter((each) => each.step === index);
  return stepStatus(step, members).kind === 'broken';
}

/** Of several that ended in one commit, the first. */
function lastOf(parts: readonly EndedPart[]): EndedPart | undefined {
  let last: EndedPart | undefined;
  for (const each of parts) if (last === undefined || endOf(each) > endOf(last)) last = each;
  return last;
}

function endOf({ progress: { times } }: EndedPart): number {
  return times?.endedAt ?? 0;
}
