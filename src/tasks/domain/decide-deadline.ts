import type { Delegation, EndCode, TaskAggregate, TaskChange } from '../task.js';
import { NO_CHANGE } from '../task.js';
import { isOpen, isWaiting, taskStateOf } from './delegation-state.js';
import { Draft } from './draft.js';
import { cancelOpen, endDelegation, type Why } from './end-delegation.js';
import { endByHub } from './end-by-hub.js';
import { recomputeState } from './recompute-state.js';
import { seconds } from './wording.js';

const LATE: EndCode = 'DEADLINE_EXCEEDED';

/**
 * Ends what has run out of time: all that is open once the task's deadline has passed; else what is
 * open of each step past its own deadline, which counts from the step's beginning (both are
 * canceled); else each delegation past its own (it fails). What waits for the client is no exception.
 * Nothing when nothing is overdue.
 */
export function decideDeadline(aggregate: TaskAggregate, now: Date): TaskChange {
  const draft = new Draft(aggregate, now);
  if (draft.ended) return NO_CHANGE;
  const { deadlineAt, createdAt } = aggregate.record;
  if (deadlineAt !== null && deadlineAt <= now) {
    const reason = `The task's deadline of ${seconds(deadlineAt.getTime() - createdAt.getTime())} has passed.`;
    cancelOpen(draft, { reason, code: LATE });
    endCut(draft, reason);
    return draft.change();
  }
  for (const index of draft.plan.keys()) endLateStep(draft, index);
  for (const { id } of draft.delegations()) {
    const current = draft.delegation(id);
    if (current && isOpen(current.state) && current.deadlineAt <= now) {
      endByHub(draft, current, { state: 'failed', ...whyLate(current) });
    }
  }
  return draft.change();
}

function endLateStep(draft: Draft, index: number): void {
  const deadlineMs = draft.plan[index]?.deadlineMs;
  if (deadlineMs === undefined) return;
  const isLate = ({ begunAt }: Delegation): boolean =>
    begunAt !== null && begunAt.getTime() + deadlineMs <= draft.now.getTime();
  const late = draft
    .delegations()
    .filter((each) => each.step === index && isOpen(each.state) && isLate(each));
  if (late.length === 0) return;
  const reason = `The step's deadline of ${seconds(deadlineMs)} has passed.`;
  for (const each of late) endDelegation(draft, each, { state: 'canceled', reason, code: LATE });
  endCut(draft, reason);
}

/** Says what has become of a task that was cut short. */
function endCut(draft: Draft, reason: string): void {
  if (draft.several) recomputeState(draft, { cutShort: true });
  else draft.emitStatus(taskStateOf('failed'), draft.say(reason));
}

function whyLate({ state, agentName }: Delegation): Why {
  return isWaiting(state)
    ? {
        reason: `${agentName} waited for the client until its time was over.`,
        code: 'CLIENT_TIMEOUT',
      }
    : { reason: `${agentName} did not finish in time.`, code: LATE };
}
