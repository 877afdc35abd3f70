import { TaskState, type Message, type Part } from '../../protocol/a2a.js';
import { textPart } from '../../protocol/build.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import type { Delegation } from '../task.js';
import { advancePlan } from './advance-plan.js';
import { aggregateState, type AggregateCircumstances } from './aggregate-state.js';
import { isWaiting } from './delegation-state.js';
import type { Draft } from './draft.js';
import { releaseFinished } from './held-artifacts.js';
import { saidIn } from './own-ids.js';

/**
 * Recomputes the state of a task of several agents from its delegations: advances its plan as far as it goes,
 * then shows the task's state where it has changed. A task that ends without its result first shows what was
 * held back. `asks` is true when the change is a new question, which is shown even if another one is open
 * already. When one of several no longer waits, the questions of the others are shown again.
 */
export function recomputeState(
  draft: Draft,
  options: AggregateCircumstances & { readonly asks?: boolean } = {},
): void {
  if (draft.ended) return;
  const cancelRequested =
    draft.aggregate.record.cancelRequestedAt !== null || options.cancelRequested === true;
  const cutShort = advancePlan(draft, cancelRequested);
  const delegations = draft.delegations();
  const { state, text } = aggregateState(draft.plan, delegations, {
    cancelRequested,
    cutShort: cutShort || options.cutShort === true,
  });
  if (isTerminal(state)) {
    if (state !== TaskState.TASK_STATE_COMPLETED) releaseFinished(draft);
    return draft.emitStatus(state, draft.say(text));
  }
  if (isInterrupted(state)) {
    // A task that is being canceled takes no answer.
    if (!cancelRequested) showQuestions(draft, delegations, state, options.asks === true);
    return;
  }
  if (draft.state !== state) draft.emitStatus(state, text ? draft.say(text) : undefined);
}

function showQuestions(
  draft: Draft,
  delegations: readonly Delegation[],
  state: TaskState,
  asks: boolean,
): void {
  const waiting = waitingOf(delegations);
  const before = waitingOf(draft.aggregate.delegations);
  if (draft.state === state && !asks && waiting.length === before.length) return;
  const parts = waiting.flatMap((each) => questionParts(draft, each));
  const first = waiting[0];
  const metadata = {
    [ROUTING_EXTENSION_URI]: {
      ...(waiting.length === 1 && first && { ...draft.originOf(first), ...waitOf(first) }),
      waiting: waiting.map((each) => ({
        ...draft.originOf(each),
        step: draft.stepOf(each).name,
        ...waitOf(each),
      })),
    },
  };
  draft.emitStatus(state, draft.say(parts, metadata));
}

/** What it waits for, as clients see it. */
function waitOf({ state, progress: { awaits } }: Delegation): object {
  return { state, ...(awaits !== undefined && { awaits }) };
}

function waitingOf(delegations: readonly Delegation[]): Delegation[] {
  return delegations.filter(({ state }) => isWaiting(state));
}

function questionParts(draft: Draft, delegation: Delegation): Part[] {
  const question = draft.questionOf(delegation.id) ?? shownQuestion(draft, delegation.id);
  if (question && question.parts.length > 0) return question.parts;
  const what = delegation.state === 'auth-required' ? 'authorization' : 'input';
  const why = delegation.reason ? `: ${delegation.reason}` : '';
  return [textPart(`${delegation.agentName} waits for ${what}${why}`)];
}

/** What this delegation asked last, found in what has been shown (its own words, named). */
function shownQuestion(draft: Draft, delegationId: string): Message | undefined {
  const { status, history } = draft.aggregate.task;
  const isIt = (message: Message): boolean => {
    const { delegationId: from, state } = saidIn(message);
    return from === delegationId && (state === 'input-required' || state === 'auth-required');
  };
  if (status?.message && isIt(status.message)) return status.message;
  return history.findLast(isIt);
}
