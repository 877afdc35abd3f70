import type { PlanStep } from '../../routing/index.js';
import type { Delegation } from '../task.js';
import { isEnded } from './delegation-state.js';
import { describeEnd } from './wording.js';

/**
 * How a step of a plan stands. `planned`: its turn has not come. `open`: some of its agents are at
 * work and its policy may still be met. `met`, `broken`: that is decided, whatever the rest of its
 * agents do, who therefore need not go on; `why` tells them. `skipped`: it was not needed.
 */
export type StepStanding =
  | { readonly kind: 'planned' | 'open' | 'skipped' }
  | { readonly kind: 'met' | 'broken'; readonly why: string };

type Policy = Pick<PlanStep, 'strategy' | 'require' | 'quorum'>;

/** How a step stands by its policy and its delegations, of which there is at least one. */
export function stepStanding(step: Policy, delegations: readonly Delegation[]): StepStanding {
  if (delegations.some(({ state }) => state === 'planned')) return { kind: 'planned' };
  if (delegations.every(({ state }) => state === 'skipped')) return { kind: 'skipped' };
  const completed = delegations.filter(({ state }) => state === 'completed');
  const open = delegations.filter(({ state }) => !isEnded(state));
  const needed = neededOf(step, delegations.length);
  if (completed.length + open.length < needed) {
    return { kind: 'broken', why: whyBroken(delegations, needed) };
  }
  const enough = completed.length >= needed && (open.length === 0 || !waitsForAll(step));
  return enough ? { kind: 'met', why: whyMet(step, completed) } : { kind: 'open' };
}

/** How many of the agents must complete: each of them, so many as were asked for, or one. */
function neededOf({ strategy, require, quorum }: Policy, total: number): number {
  if (strategy !== 'all') return 1;
  switch (require) {
    case 'all':
      return total;
    case 'quorum':
      return quorum ?? total;
    case 'any':
    case 'best-effort':
      return 1;
  }
}

/** Best effort takes what every agent has to give. */
export function waitsForAll({
  strategy,
  require,
}: Pick<PlanStep, 'strategy' | 'require'>): boolean {
  return strategy === 'all' && require === 'best-effort';
}

function whyMet({ strategy }: Policy, completed: readonly Delegation[]): string {
  const names = completed.map(({ agentName }) => agentName).join(', ');
  return strategy === 'first' ? `${names} was first.` : `${names} completed, which is enough.`;
}

function whyBroken(delegations: readonly Delegation[], needed: number): string {
  const failed = delegations.filter(({ state }) => isEnded(state) && state !== 'completed');
  const ends = failed.map(describeEnd).join('; ');
  const total = delegations.length;
  if (needed === total && total > 1) return `${ends}, and every agent was required.`;
  return needed > 1 ? `${ends}, and ${needed} of ${total} agents were required.` : `${ends}.`;
}
