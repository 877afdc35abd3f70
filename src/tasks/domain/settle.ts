import type { Message, Part, TaskState } from '../../protocol/a2a.js';
import { textOf, textPart } from '../../protocol/build.js';
import { ROUTING_EXTENSION_URI } from '../../protocol/routing-extension.js';
import { isInterrupted, isTerminal } from '../../protocol/task-state.js';
import type { Delegation } from '../task.js';
import { aggregateState, policyBroken, type AggregateCircumstances } from './aggregate-state.js';
import {
  closedProgress,
  isEnded,
  isWaiting,
  shortReason,
  type EndState,
} from './delegation-state.js';
import type { Draft } from './draft.js';
import { originOf } from './own-ids.js';

/** Ends a delegation; whatever it gave is complete now, and nobody needs to own it. */
export function endDelegation(
  draft: Draft,
  delegation: Delegation,
  state: EndState,
  reason: string | null,
): void {
  draft.patch(delegation.id, {
    state,
    reason: reason === null ? null : shortReason(reason),
    progress: closedProgress(delegation.progress),
    owner: null,
    leaseUntil: null,
  });
}

/** Cancels every delegation that is still open; the runner then tells their agents. */
export function cancelOpen(draft: Draft, reason: string): void {
  for (const each of draft.delegations()) {
    if (!isEnded(each.state)) endDelegation(draft, each, 'canceled', reason);
  }
}

/**
 * Brings the task of several agents in line with its delegations: cancels what is open once the
 * policy cannot be met, then says the task's state where it has changed. `asks` is true when the
 * change is a new question, which is shown even if another one waits already.
 */
export function settle(
  draft: Draft,
  options: AggregateCircumstances & { readonly asks?: boolean } = {},
): void {
  if (draft.ended) return;
  const { route, cancelRequestedAt } = draft.aggregate.record;
  const broken = policyBroken(draft.delegations(), route);
  const cut = broken !== undefined && draft.delegations().some((each) => !isEnded(each.state));
  if (cut) cancelOpen(draft, broken);
  const delegations = draft.delegations();
  const { state, text } = aggregateState(delegations, route, {
    cancelRequested: cancelRequestedAt !== null || options.cancelRequested === true,
    cutShort: cut || options.cutShort === true,
  });
  if (isTerminal(state)) return draft.emitStatus(state, draft.say(text));
  if (isInterrupted(state)) return showQuestions(draft, delegations, state, options.asks === true);
  if (draft.state !== state) draft.emitStatus(state, text ? draft.say(text) : undefined);
}

function showQuestions(
  draft: Draft,
  delegations: readonly Delegation[],
  state: TaskState,
  asks: boolean,
): void {
  if (draft.state === state && !asks) return;
  const waiting = delegations.filter((each) => isWaiting(each.state));
  const parts = waiting.flatMap((each) => questionParts(draft, each));
  const first = waiting[0];
  const metadata = {
    [ROUTING_EXTENSION_URI]: {
      ...(waiting.length === 1 && first && { ...originOf(first), state: first.state }),
      waiting: waiting.map((each) => ({ ...originOf(each), state: each.state })),
    },
  };
  draft.emitStatus(state, draft.say(parts, metadata));
}

function questionParts(draft: Draft, delegation: Delegation): Part[] {
  const question = draft.asked(delegation.id) ?? shownQuestion(draft, delegation.id);
  if (question && question.parts.length > 0) return question.parts;
  const what = delegation.state === 'auth-required' ? 'authorization' : 'input';
  const why = delegation.reason ? `: ${delegation.reason}` : '';
  return [textPart(`${delegation.agentName} waits for ${what}${why}`)];
}

/** What this delegation asked last, found in what has been shown (its own words, named). */
function shownQuestion(draft: Draft, delegationId: string): Message | undefined {
  const { status, history } = draft.aggregate.task;
  const isIt = (message: Message): boolean => {
    const origin = message.metadata?.[ROUTING_EXTENSION_URI] as
      { delegationId?: unknown; state?: unknown } | undefined;
    return (
      origin?.delegationId === delegationId &&
      (origin.state === 'input-required' || origin.state === 'auth-required')
    );
  };
  if (status?.message && isIt(status.message)) return status.message;
  return history.findLast(isIt);
}

/** A message's parts with the agent's name before the first text. */
export function namedParts(
  agentName: string,
  message: Message | undefined,
  fallback: string,
): Part[] {
  if (!message || message.parts.length === 0) return [textPart(`${agentName} ${fallback}`)];
  const [first, ...rest] = message.parts;
  if (first?.content?.$case !== 'text') return [textPart(`${agentName}:`), ...message.parts];
  const value = `${agentName}: ${first.content.value}`;
  return [{ ...first, content: { $case: 'text', value } }, ...rest];
}

/** What a status says in one line, for the delegation's reason; null when it says nothing. */
export function reasonOf(message: Message | undefined): string | null {
  const text = textOf(message).trim();
  return text === '' ? null : shortReason(text);
}
