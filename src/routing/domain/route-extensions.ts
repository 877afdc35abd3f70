import type { Principal } from '../../auth/index.js';
import type { AgentSkill } from '../../protocol/a2a.js';
import type { RoutingDirective, RoutingTarget } from '../../protocol/routing-extension.js';
import type { PlanStep } from './plan.js';
import type { PassedRule } from './route.js';

/*
 * What operators add to the choice of agents: rules and composite skills. Routing asks both through
 * the two ports below, on the path of every message; they answer from memory.
 */

/**
 * The agent id that no agent may have: in the hub's card a composite skill has the id `composite.<id>`,
 * where an agent's skill has `<agentId>.<skillId>`. It is asked for by `skillId` like any other.
 */
export const COMPOSITE_AGENT_ID = 'composite';

/**
 * How much of a message's text rules see; the characters (UTF-16 units) from its beginning. The worst
 * of expressions take some 10 ms for as many.
 */
export const RULE_TEXT_LENGTH = 16_384;

/** What rules decide by. */
export interface RuleQuestion {
  readonly principal: Pick<Principal, 'id' | 'organization' | 'scopes'>;
  /**
   * The tags the client asked for and no skill carries; else empty, because tags that a skill carries
   * decide before any rule. When there are some, only a rule with a condition on tags may decide.
   */
  readonly tags: readonly string[];
  /** The media types of the parts, each once, as written by the client. */
  readonly inputTypes: readonly string[];
  /** The text parts, joined by line feeds, up to {@link RULE_TEXT_LENGTH}; empty without any. */
  readonly text: string;
  /** The members of the request's metadata, covered by those of the message's. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Told of each rule that applies but leads to nobody; the next one is asked then. */
  readonly passOver?: (rule: PassedRule) => void;
}

/** Where a rule sends a message: at least one of the members of a target, or nowhere. */
export type RuleTarget =
  /** `skillId` may be of the form `agentId.skillId`, `composite.<id>`, or an id that agents share. */
  | { readonly to: RoutingTarget; readonly reject?: undefined }
  /** The message is refused (NO_ROUTE) with this sentence. */
  | { readonly to?: undefined; readonly reject: string };

/** How a plan of several agents is asked for, where the client has not said. */
export type RuleWishes = Pick<
  RoutingDirective,
  'strategy' | 'require' | 'quorum' | 'deadlineSeconds' | 'maxAgents' | 'maxCalls'
>;

export interface RuleDecision {
  readonly rule: { readonly id: string; readonly name: string };
  /** Which conditions held, as one sentence that names the rule. */
  readonly why?: string;
  readonly target: RuleTarget;
  /**
   * They count where the client has no wish of its own: `strategy`, `require` and `quorum` together
   * when it names none of the three, each of the limits when it does not name that one. The strategy
   * is `one`, `all` or `first`.
   */
  readonly wishes?: RuleWishes;
}

/**
 * The operator's rules. They are asked when the client names no agent and no skill, when no skill
 * carries the tags it names, and when its context belongs to no agent; before the text is looked at.
 */
export abstract class RuleSource {
  /**
   * The decision of the first rule that applies and leads somewhere for this principal; undefined
   * when none does. A rule whose target leads to nobody is passed over, see `passOver`.
   */
  abstract decide(question: RuleQuestion): RuleDecision | undefined;
}

/**
 * A step of a plan before its agents are chosen. Routing turns it into a {@link PlanStep}: `one` gets
 * the best agent of the target and a few to take over, `all` and `first` get everybody it matches.
 */
export interface StepTemplate extends Omit<PlanStep, 'chosen'> {
  /** Agents only: a composite skill is never a step of another. */
  readonly target: RoutingTarget;
  /** For `all` and `first`: at most so many agents; default 100. */
  readonly maxAgents?: number;
}

/** A plan an operator has named, as one skill of the hub. */
export interface CompositeSkill {
  /** As the hub's card shows it, except that `skill.id` is the id without `composite.`. */
  readonly skill: AgentSkill;
  readonly version: number;
  /**
   * Never empty; each stands behind those it names. An optional step whose target matches nobody is
   * left out and counts as failed for those after it. When a step that is not optional matches nobody,
   * or no step is left that gives a result, the message is refused (NO_ROUTE) naming the step.
   */
  readonly steps: readonly StepTemplate[];
  /** Milliseconds for the whole task; a client's own deadline only shortens it. */
  readonly deadlineMs?: number;
  /** The most messages to agents for the whole task; a client's own maximum only lowers it. */
  readonly maxCalls?: number;
}

/** The operator's composite skills. */
export abstract class CompositeSource {
  /**
   * Every composite skill that somebody may use now, by id: what the text match is made of. The list
   * is the same object, and so is each skill in it, until something changes.
   */
  abstract all(): readonly CompositeSkill[];

  /**
   * The composite skills this principal may use now, by id. The list is the same object, and so is
   * each skill in it, until something changes, so that what is made of them can be kept.
   */
  abstract usable(principal: Principal): readonly CompositeSkill[];
}

/** No composite skills: what stands in where none are kept. */
export const NO_COMPOSITES: CompositeSource = { all: () => EMPTY, usable: () => EMPTY };

const EMPTY: readonly CompositeSkill[] = [];
