import { merged } from '../../common/merged.js';
import { type HubError, invalidField } from '../../common/hub-error.js';
import { fieldOf, type RoutingDirective } from '../../protocol/routing-extension.js';
import { AgentIndex } from './agent-index.js';
import { candidateOf, noRoute } from './explain.js';
import {
  byAffinity,
  byAgent,
  byDefault,
  bySkill,
  byTags,
  isComposite,
  noTags,
} from './find-named.js';
import { byRule } from './find-rule.js';
import { byText, findingAmong, missedByText, type TextFinding } from './find-text.js';
import type { Match } from './match.js';
import { arrange, type Arranged } from './order.js';
import type { PlanStep } from './plan.js';
import { planStrategyOf } from './strategy/plan-strategies.js';
import type { PlanStrategy } from './strategy/plan-strategy.js';
import { asksInTurn, stepStrategyOf } from './strategy/step-policies.js';
import { planOfSteps, shareOut, within } from './plan-of-steps.js';
import type { Found, RoutingQuestion } from './question.js';
import type { Candidate, PassedRule, Route } from './route.js';
import type { RoutingOptions } from './rule-decision.js';

/** Agents left out that a route names; a route is stored with every task. */
const MAX_SKIPPED = 50;

const WAS_BEFORE = 'Handled the last message of this context.';

type Choice = Pick<Route, 'chosen' | 'skipped'>;

/**
 * Chooses the agents for a message that begins a task. The first rule that applies decides: the agent
 * the address names; the agent, skill or tags the message asks for; the agents of the context; the
 * operator's rules ({@link named} up to here); the text; the default agent ({@link unnamed}).
 *
 * Throws HubError NO_ROUTE (with the skills the caller may use) when a rule applies and finds no agent, or
 * none applies; EXTENSION_SUPPORT_REQUIRED, CONTENT_TYPE_NOT_SUPPORTED or AGENT_BUSY when everybody it
 * finds is out for that reason; INVALID_PARAMS when the message contradicts itself.
 */
export class RouteChooser {
  private readonly index: AgentIndex;
  /** Where tags and text look: composite skills have no part in options for several agents. */
  private readonly searched: AgentIndex;
  private passedRules: readonly PassedRule[] = [];

  constructor(private readonly question: RoutingQuestion) {
    const { agents, composites, directive } = question;
    const { strategy = 'one' } = directive;
    this.index = AgentIndex.of(agents, composites);
    this.searched = asksInTurn(strategy) ? this.index : AgentIndex.of(agents);
  }

  /** The route of a message that names an agent, continues a context or meets a rule. */
  named(): Route | undefined {
    const { question, index } = this;
    refuseAddressedPlan(question);
    this.noteExcluded();
    const plan = planStrategyOf(question.directive.strategy);
    if (plan?.first === null) return this.ownPlan(plan);
    const found =
      byAgent(question, index) ??
      bySkill(question, index) ??
      byTags(question, this.searched) ??
      this.byUnknownTags() ??
      byAffinity(question, index) ??
      this.byRule([]);
    return found && this.routeOf(found);
  }

  /** The route of any other message, by what is found in its text. */
  unnamed(given: TextFinding | undefined): Route {
    const { question, index, searched } = this;
    const finding = given && findingAmong(given, searched);
    const found = finding && byText(question, finding, searched);
    if (found) {
      this.noteLike(found);
      return this.routeOf(found);
    }
    const missed = finding ? missedByText(finding) : [];
    const byRest = byDefault(question, index);
    if (byRest) return this.routeOf({ ...byRest, skipped: [...(byRest.skipped ?? []), ...missed] });
    const problem = 'The message names no agent, skill or tags';
    if (!finding) throw noRoute(`${problem}.`, index);
    const note = finding.ordered?.why ?? finding.note;
    throw noRoute(
      `${problem}, and no skill matches its text well enough.${note ? ` ${note}` : ''}`,
      index,
    );
  }

  /** Tags that no skill carries may still mean something to a rule; else they are a mistake. */
  private byUnknownTags(): Found | undefined {
    const { question, index } = this;
    const { directive } = question;
    if (!directive.tags || directive.tags.length === 0) return undefined;
    const found = this.byRule(directive.tags);
    if (found) return found;
    throw byTags(question, index) ? this.strategyOfComposite() : noTags(directive, index);
  }

  private byRule(tags: readonly string[]): Found | undefined {
    const { excluded, decide } = this.question;
    const verdict = decide(tags);
    this.passedRules = verdict.passed.map(({ rule }) => rule);
    for (const { rule, to } of verdict.passed) {
      excluded?.note(to, `The rule "${rule.name}" leads to it.`);
    }
    const to = verdict.decision?.target.to;
    if (to) excluded?.note(to);
    return byRule(verdict, this.question, this.index);
  }

  /** Who is excluded of those that the message itself names, or that had its context before. */
  private noteExcluded(): void {
    const { excluded, directive, affinity, agentId = directive.agentId } = this.question;
    if (excluded === undefined) return;
    const { skillId, tags = [], match } = directive;
    if (agentId === undefined && skillId === undefined && tags.length === 0) {
      excluded.noteAgents(affinity, WAS_BEFORE);
      return;
    }
    excluded.note({
      ...(agentId !== undefined && { agentId }),
      ...(skillId !== undefined && { skillId }),
      tags,
      ...(match !== undefined && { match }),
    });
  }

  /** Who is excluded of those with the skill that was found by the text. */
  private noteLike({ matches: [best] }: Found): void {
    const skillId = best?.skill?.id;
    if (best === undefined || skillId === undefined || isComposite(best)) return;
    this.question.excluded?.note({ skillId }, `Has the skill "${skillId}", too.`);
  }

  private routeOf(found: Found): Route {
    const options = optionsOf(this.question.directive, found);
    const arranged = this.arranged(found, options);
    const { matches, skipped } = arranged;
    const [best] = matches;
    if (best && isComposite(best))
      return this.compositeRoute(found, options, best, matches, skipped);
    const agents = withoutComposites(arranged);
    if (agents.matches.length === 0) throw this.strategyOfComposite();
    const { strategy = 'one', require = 'all', quorum, maxAgents } = options;
    const plan = planStrategyOf(strategy);
    if (plan?.first) return this.planned(plan, plan.first, found, options, agents);
    const share = {
      strategy: stepStrategyOf(strategy) ?? 'one',
      require,
      quorum,
      maxAgents,
      quorumField: this.quorumField,
    };
    return this.routeTo(shareOut(agents, share), found, options);
  }

  /** The matches in order; composite skills go only where no strategy for several agents is requested. */
  private arranged(found: Found, { strategy = 'one', quorum }: RoutingOptions): Arranged {
    const mayBeComposite = asksInTurn(strategy) || found.reason === 'rule';
    const considered = mayBeComposite
      ? found
      : merged(found, withoutComposites({ skipped: [], ...found }));
    if (considered.matches.length === 0) return { matches: [], skipped: [] };
    const { media, extensions, conditionOf, usedUp = [] } = this.question;
    return arrange(considered, {
      media,
      extensions,
      conditionOf,
      usedUp,
      atLeast: quorum ?? 1,
      isImmediate: true,
    });
  }

  /** A plan whose steps name all agents. */
  private ownPlan({ steps }: Pick<PlanStrategy, 'steps'>): Route {
    const { directive } = this.question;
    const { plan, skipped } = planOfSteps(steps(directive), this.question);
    const [first = {}] = directive.steps ?? [];
    const reason = first.agentId ? 'agent' : first.skillId ? 'skill' : 'tags';
    const choice = { chosen: chosenOf(plan), skipped };
    return { plan, ...this.routeTo(choice, { reason, matches: [] }, directive) };
  }

  /** A plan whose first step is of the agents that the message names. */
  private planned(
    strategy: PlanStrategy,
    first: NonNullable<PlanStrategy['first']>,
    found: Found,
    options: RoutingOptions,
    arranged: Arranged,
  ): Route {
    const { directive } = this.question;
    const { require = 'all', quorum, maxAgents } = options;
    const shared = shareOut(arranged, {
      strategy: first.strategy,
      require,
      quorum,
      maxAgents,
      quorumField: this.quorumField,
    });
    const firstStep: PlanStep = {
      ...first,
      require,
      ...(quorum !== undefined && { quorum }),
      chosen: shared.chosen,
      inputs: [{ from: 'message' }],
      after: [],
      isResult: false,
      isOptional: false,
    };
    const others = planOfSteps(strategy.steps(directive), this.question);
    const plan = [firstStep, ...others.plan];
    const skipped = [...shared.skipped, ...others.skipped];
    return { plan, ...this.routeTo({ chosen: chosenOf(plan), skipped }, found, options) };
  }

  private compositeRoute(
    found: Found,
    options: RoutingOptions,
    best: Match,
    matches: readonly Match[],
    skipped: readonly Candidate[],
  ): Route {
    const id = best.skill?.id ?? '';
    const composite = this.index.composite(id);
    if (!composite) throw noRoute(`No composite skill "${id}" is there.`, this.index);
    const {
      plan,
      skipped: ofSteps,
      leftOut,
    } = within(`Composite skill "${id}"`, () => planOfSteps(composite.steps, this.question));
    const others = matches
      .slice(1)
      .map((match) => candidateOf(match, 'Does not take over for a composite skill.'));
    const [only, ...more] = plan;
    const choice = { chosen: chosenOf(plan), skipped: [...ofSteps, ...skipped, ...others] };
    const { deadlineMs, maxCalls, ...route } = this.routeTo(choice, found, {
      ...(more.length === 0 && only),
      deadlineSeconds: options.deadlineSeconds,
      maxCalls: options.maxCalls,
    });
    const deadline = least(deadlineMs, composite.deadlineMs);
    const calls = least(maxCalls, composite.maxCalls);
    return {
      ...route,
      ...(more.length > 0 && { strategy: 'plan' }),
      ...(deadline !== undefined && { deadlineMs: deadline }),
      ...(calls !== undefined && { maxCalls: calls }),
      plan,
      ...(leftOut.length > 0 && { leftOut }),
      composite: { id, version: composite.version },
    };
  }

  /** What is asked for is a composite skill, or only these carry the tags. */
  private strategyOfComposite(): HubError {
    return invalidField(
      fieldOf(this.question.directive, 'strategy'),
      'does not go with a composite skill, which has its own plan',
    );
  }

  /** Undefined where the quorum is an operator's. */
  private get quorumField(): string | undefined {
    const { directive } = this.question;
    return directive.quorum === undefined ? undefined : fieldOf(directive, 'quorum');
  }

  private routeTo(
    { chosen, skipped }: Choice,
    { reason, rule }: Found,
    { strategy = 'one', require = 'all', quorum, deadlineSeconds, maxCalls }: RoutingOptions,
  ): Route {
    return {
      reason,
      strategy,
      require,
      chosen,
      skipped: skipped.slice(0, MAX_SKIPPED),
      ...(skipped.length > MAX_SKIPPED && { moreSkipped: skipped.length - MAX_SKIPPED }),
      ...this.question.excluded?.shown,
      ...(quorum !== undefined && { quorum }),
      ...(deadlineSeconds !== undefined && { deadlineMs: Math.ceil(deadlineSeconds * 1000) }),
      ...(maxCalls !== undefined && { maxCalls }),
      ...(rule && { rule }),
      ...(this.passedRules.length > 0 && { passedRules: this.passedRules }),
    };
  }
}

/** The options of the client and, where it names none, those of the rule. */
function optionsOf(directive: RoutingDirective, { options: rule = {} }: Found): RoutingOptions {
  const { strategy, require, quorum, deadlineSeconds, maxAgents, maxCalls } = directive;
  const isSilent = strategy === undefined && require === undefined && quorum === undefined;
  const chosen = isSilent ? rule : directive;
  return {
    strategy: chosen.strategy,
    require: chosen.require,
    quorum: chosen.quorum,
    deadlineSeconds: deadlineSeconds ?? rule.deadlineSeconds,
    maxAgents: maxAgents ?? rule.maxAgents,
    maxCalls: maxCalls ?? rule.maxCalls,
  };
}

/** A plan of several agents under the address of one contradicts itself. */
function refuseAddressedPlan({ agentId, directive }: RoutingQuestion): void {
  const { strategy } = directive;
  if (agentId === undefined || strategy === undefined || planStrategyOf(strategy) === undefined)
    return;
  throw invalidField(
    fieldOf(directive, 'strategy'),
    `is ${strategy}, which asks several agents, but the address of the request names one: ${agentId}`,
  );
}

const NO_TURN = 'A composite skill has its own plan and does not take part in one of agents.';

function withoutComposites(arranged: Arranged): Arranged {
  const { matches, skipped } = arranged;
  const composites = matches.filter(isComposite);
  if (composites.length === 0) return arranged;
  return {
    matches: matches.filter((match) => !isComposite(match)),
    skipped: [...skipped, ...composites.map((match) => candidateOf(match, NO_TURN))],
  };
}

function chosenOf(plan: readonly PlanStep[]): Candidate[] {
  return plan.flatMap(({ chosen }) => chosen);
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
