/** Which other members of a directive go with a strategy. */
interface StrategyMembers {
  /** `require` and `quorum`. */
  readonly require: boolean;
  readonly maxAgents: boolean;
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
  one: { require: false, maxAgents: false },
  all: { require: true, maxAgents: true },
  first: { require: false, maxAgents: true },
  chain: {
    require: false,
    maxAgents: false,
    own: {
      member: 'steps',
      missing: 'is chain, which needs steps: who is asked, in order',
      elsewhere: 'are for the strategy chain: ask for it, or leave them out',
    },
    noTarget: 'does not go with the strategy chain: its steps say who is asked',
  },
  synthesize: {
    require: true,
    maxAgents: true,
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

/** The strategies that a member goes with, for a person: `all, first and synthesize`. */
export function strategiesWith(member: 'require' | 'maxAgents'): string {
  const names = STRATEGIES.filter((name) => MEMBERS_OF[name][member]);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].join(' and ');
}
