import type { PlanStep } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { budgetSpent, callsLeft } from './call-budget.js';
import { isEnded } from './delegation-state.js';
import type { Draft } from './draft.js';
import { endDelegation } from './end-delegation.js';
import { releaseWinners } from './held-artifacts.js';
import { progressOfStep, turnOf, type StepProgress } from './plan-progress.js';

/**
 * Advances every step of the plan as far as its delegations allow. In the plan's order a step comes after those
 * it depends on, so one pass is enough:
 *
 * - a step whose conditions hold begins: its delegations are queued;
 * - a step whose conditions cannot hold any more is skipped;
 * - of a step whose policy is met, or cannot be met any more, what is still open is canceled;
 * - where its agents compete, the held artifacts of the winners are shown.
 *
 * `canceled`: the client has asked for that. Every agent is then being canceled by its runner, which
 * reports the outcome: a policy that cannot be met any more ends no delegation before that.
 *
 * True when a step was cut short because its policy cannot be met any more.
 */
export function advancePlan(draft: Draft, canceled: boolean): boolean {
  let cutShort = false;
  const steps: StepProgress[] = [];
  for (const [index, step] of draft.plan.entries()) {
    const look = (): StepProgress => progressOfStep(step, index, draft.delegations());
    let current = look();
    if (beginOrSkip(draft, current, steps)) current = look();
    const { status, delegations } = current;
    if (status.kind === 'met' || (status.kind === 'broken' && !canceled)) {
      const open = delegations.filter(({ state }) => !isEnded(state));
      const code = status.kind === 'met' ? 'NOT_NEEDED' : 'STEP_FAILED';
      const reason = status.why;
      for (const each of open) endDelegation(draft, each, { state: 'canceled', reason, code });
      if (status.kind === 'met') releaseWinners(draft, current);
      else cutShort ||= open.length > 0;
    }
    steps.push(current);
  }
  return cutShort;
}

/** By the progress of the steps `before` it; false while it may still begin, or once it has begun. */
function beginOrSkip(
  draft: Draft,
  { step, delegations, status }: StepProgress,
  before: readonly StepProgress[],
): boolean {
  if (status.kind !== 'planned') return false;
  const turn = turnOf(step, before);
  const planned = delegations.filter(({ state }) => state === 'planned');
  if (turn === 'begins') begin(draft, planned);
  else if (turn === 'never') skip(draft, planned, whySkipped(step, before));
  return turn !== 'waits';
}

/** The time of a delegation counts from here. What the budget has no call left for fails at once. */
function begin(draft: Draft, delegations: readonly Delegation[]): void {
  const { now, aggregate } = draft;
  for (const each of delegations) {
    const timeMs = each.deadlineAt.getTime() - each.createdAt.getTime();
    if (callsLeft(aggregate.record, draft.delegations()) < 1) {
      const reason = budgetSpent(aggregate.record);
      endDelegation(draft, each, { state: 'failed', reason, code: 'MAX_CALLS_REACHED' });
      continue;
    }
    draft.patch(each.id, {
      state: 'queued',
      deadlineAt: new Date(now.getTime() + timeMs),
      begunAt: now,
    });
  }
}

function skip(draft: Draft, delegations: readonly Delegation[], reason: string | null): void {
  const end = { state: 'skipped', reason, code: 'STEP_SKIPPED' } as const;
  for (const each of delegations) endDelegation(draft, each, end);
}

function whySkipped(step: PlanStep, before: readonly StepProgress[]): string | null {
  const unmet = step.after.find(
    (condition) => turnOf({ ...step, after: [condition] }, before) === 'never',
  );
  return unmet ? `Step "${unmet.step}" ${whatHappened(unmet.step, before)}.` : null;
}

function whatHappened(name: string, before: readonly StepProgress[]): string {
  switch (before.find(({ step }) => step.name === name)?.status.kind) {
    case 'met':
      return 'completed';
    case 'broken':
      return 'did not complete';
    default:
      return 'was skipped';
  }
}
