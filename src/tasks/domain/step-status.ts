import { type PlanStep, policyOf } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { isEnded } from './delegation-state.js';
import { describeEnd } from './wording.js';

/**
 * The status of a step of a plan. `planned`: it has not begun. `open`: some of its agents work and its policy may
 * still be met. `met`, `broken`: that is decided, whatever the rest of its agents do, so that they are canceled;
 * `why` is the reason they get. `skipped`: it was not needed.
 */
export type StepStatus =
  | { readonly kind: 'planned' | 'open' | 'skipped' }
  | { readonly kind: 'met' | 'broken'; readonly why: string };

type Policy = Pick<PlanStep, 'strategy' | 'require' | 'quorum'>;
type Member = Pick<Delegation, 'agentName' | 'state' | 'reason'>;

/** The status of a step by its policy and its delegations, of which there is at least one. */
export function stepStatus(step: Policy, delegations: readonly Member[]): StepStatus {
  if (delegations.some(({ state }) => state === 'planned')) return { kind: 'planned' };
  if (delegations.every(({ state }) => state === 'skipped')) return { kind: 'skipped' };
  const policy = policyOf(step.strategy);
  const completed = delegations.filter(({ state }) => state === 'completed');
  const open = delegations.filter(({ state }) => !isEnded(state));
  const needed = policy.needed(step, delegations.length);
  if (completed.length + open.length < needed) {
    return { kind: 'broken', why: whyBroken(delegations, needed) };
  }
  const enough = completed.length >= needed && (open.length === 0 || !policy.waitsForAll(step));
  return enough ? { kind: 'met', why: policy.whyMet(namesOf(completed)) } : { kind: 'open' };
}

function namesOf(delegations: readonly Member[]): string {
  return delegations.map(({ agentName }) => agentName).join(', ');
}

function whyBroken(delegations: readonly Member[], needed: number): string {
  const failed = delegations.filter(({ state }) => isEnded(state) && state !== 'completed');
  const ends = failed.map(describeEnd).join('; ');
  const total = delegations.length;
  if (needed === total && total > 1) return `${ends}, and every agent was required.`;
  return needed > 1 ? `${ends}, and ${needed} of ${total} agents were required.` : `${ends}.`;
}
