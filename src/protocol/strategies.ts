/** What a strategy asks for, and so which other members of a directive go with it. */
export interface StrategyMembers {
  /** It may say how many agents must complete: with `require` and `quorum`. */
  readonly hasRequirement: boolean;
  /** It asks several agents at the same time: no more than `maxAgents`. */
  readonly fansOut: boolean;
  /** The member that only this strategy has, and must have; the texts follow the names of the fields. */
  readonly own?: {
    readonly member: 'steps' | 'synthesizer';
    readonly missing: string;
    readonly elsewhere: string;
  };
  /** Why no target goes with it, if none does. */
  readonly noTarget?: string;
}

/**
 * - `one`: one agent; the next takes over while none has accepted.
 * - `all`: every agent that matches, at the same time.
 * - `first`: the same, and the first that completes wins; the others are canceled.
 * - `chain`: the agents of `steps` one after another, each with the artifacts of the one before.
 * - `synthesize`: like `all`, then the agent of `synthesizer` makes the result of their artifacts.
 */
const MEMBERS = {
  one: { hasRequirement: false, fansOut: false },
  all: { hasRequirement: true, fansOut: true },
  first: { hasRequirement: false, fansOut: true },
  chain: {
    hasRequirement: false,
    fansOut: false,
    own: {
      member: 'steps',
      missing: 'is chain, which needs steps: who is asked, in order',
      elsewhere: 'are for the strategy chain: ask for it, or leave them out',
    },
    noTarget: 'does not go with the strategy chain: its steps say who is asked',
  },
  synthesize: {
    hasRequirement: true,
    fansOut: true,
    own: {
      member: 'synthesizer',
      missing: 'is synthesize, which needs a synthesizer',
      elsewhere: 'is for the strategy synthesize: ask for it, or leave it out',
    },
  },
} as const satisfies Record<string, StrategyMembers>;

/** What is done with the agents that match. */
export type Strategy = keyof typeof MEMBERS;

export const MEMBERS_OF: Readonly<Record<Strategy, StrategyMembers>> = MEMBERS;

export const STRATEGIES = Object.keys(MEMBERS) as readonly Strategy[];

/** The strategies of which this holds, for a person: `all, first and synthesize`. */
export function strategiesThat(holds: (strategy: StrategyMembers) => boolean): string {
  const names = STRATEGIES.filter((name) => holds(MEMBERS_OF[name]));
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].join(' and ');
}
