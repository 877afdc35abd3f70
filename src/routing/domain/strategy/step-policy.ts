import type { RequirePolicy } from '../../../protocol/routing-extension.js';

/** How many agents of a step must complete, as the client or the operator asks. */
export interface Requirement {
  readonly require: RequirePolicy;
  /** For `require: quorum`. */
  readonly quorum?: number | undefined;
}

/**
 * What a step of a plan does with its agents. Each strategy has a file of its own; `step-policies.ts` lists them, and
 * everything else asks the list.
 */
export interface StepPolicy {
  /** As clients, rules and composite skills write it. */
  readonly name: string;
  /** For the description of the API. */
  readonly description: string;
  /**
   * Which of the agents that have completed count, given in the order in which they did; null: every agent does, with
   * what it gives as it comes. Where some count only, artifacts are held back until the step has what it needs.
   */
  readonly winners: (<T>(completed: readonly T[]) => readonly T[]) | null;
  /** How many of `total` agents must complete. */
  needed(requirement: Requirement, total: number): number;
  /** Agents still at work go on although enough have completed. */
  waitsForAll(requirement: Pick<Requirement, 'require'>): boolean;
  /** Why the others need not go on; `names` are those that completed. */
  whyMet(names: string): string;
}

/** What a strategy has that takes one result. */
export const ONE_RESULT = {
  needed: () => 1,
  waitsForAll: () => false,
} satisfies Partial<StepPolicy>;

export const completedWhy = (names: string): string => `${names} completed, which is enough.`;
