import type { AgentCondition } from '../../agents/index.js';
import type { RoutingDirective } from '../../protocol/routing-extension.js';
import type { RoutableAgent } from './agent-index.js';
import type { Match } from './match.js';
import type { ExcludedAgents } from './excluded.js';
import type { MediaTypes } from './media-types.js';
import type { Candidate, Route, RouteReason } from './route.js';
import type { UsedUp } from './used-up.js';
import type { CompositeSkill } from './composite-skill.js';
import type { PassedOver, RuleDecision, RoutingOptions } from './rule-decision.js';

/** Everything the choice depends on. */
export interface RoutingQuestion {
  /** The agents this caller may use. */
  readonly agents: readonly RoutableAgent[];
  /** The composite skills this caller may use. */
  readonly composites: readonly CompositeSkill[];
  readonly directive: RoutingDirective;
  /** The agent that the address names (sub-path or tenant). */
  readonly agentId: string | undefined;
  /** The agents that handled the last message of this context, in order. */
  readonly affinity: readonly string[];
  readonly defaultAgent: string | null;
  readonly media: MediaTypes;
  /** The extensions the client asked for. */
  readonly extensions: readonly string[];
  /** What the operator's rules say; `tags` are those asked for that no skill carries. */
  readonly decide: (tags: readonly string[]) => RuleVerdict;
  readonly conditionOf: (agentId: string) => AgentCondition;
  /** Agents and skills whose limits are used up. */
  readonly usedUp?: readonly UsedUp[];
  /** Where it is noted who fits what is asked for and may not be used. */
  readonly excluded?: ExcludedAgents;
}

/** Of a message that says nothing, without rules and composite skills. */
export const NOTHING_REQUESTED: Omit<RoutingQuestion, 'agents' | 'extensions' | 'conditionOf'> = {
  composites: [],
  directive: {},
  agentId: undefined,
  affinity: [],
  defaultAgent: null,
  media: { input: [], output: [] },
  decide: () => ({ decision: undefined, passed: [] }),
};

/** The decision of the operator's rules, if one applies, and those that applied but found no agent. */
export interface RuleVerdict {
  readonly decision: RuleDecision | undefined;
  readonly passed: readonly PassedOver[];
}

/** What a rule of the choice found: the matches, and what it left out. */
export interface Found {
  readonly reason: RouteReason;
  readonly matches: readonly Match[];
  readonly skipped?: readonly Candidate[];
  /** The matches stand in the order to be asked; else {@link arrange} orders them. */
  readonly isOrdered?: boolean;
  readonly rule?: NonNullable<Route['rule']>;
  /** The options of the operator's rule, which apply where the client names none. */
  readonly options?: RoutingOptions;
}
