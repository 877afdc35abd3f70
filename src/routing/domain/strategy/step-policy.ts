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
  /** The message is sent to each chosen agent; else to the first, and the others take over from it in turn. */
  readonly fansOut: boolean;
  /** A step of this strategy may say how many must complete. */
  readonly hasRequirement: boolean;
  /** Only the first agent that completes counts, so artifacts are held until there is a winner. */
  readonly isRace: boolean;
  /** How many of `total` agents must complete. */
  needed(requirement: Requirement, total: number): number;
  /** Agents still at work go on although enough have completed. */
  waitsForAll(requirement: Pick<Requirement, 'require'>): boolean;
  /** Why the others need not go on; `names` are those that completed. */
  whyMet(names: string): string;
}

/** What a strategy has that takes one result. */
export const ONE_RESULT = {
  hasRequirement: false,
  needed: () => 1,
  waitsForAll: () => false,
} satisfies Partial<StepPolicy>;

export const completedWhy = (names: string): string => `${names} completed, which is enough.`;
