import { HubError, invalidField } from '../../common/hub-error.js';
import { DIRECTIVE_LIMITS, type RequirePolicy } from '../../protocol/routing-extension.js';
import { AgentIndex } from './agent-index.js';
import { candidateOf } from './explain.js';
import { byTarget } from './find-named.js';
import type { MediaTypes } from './media-types.js';
import { arrange, type Arranged } from './order.js';
import type { PlanStep } from './plan.js';
import { policyOf, type StepStrategy } from './strategy/step-policies.js';
import type { RoutingQuestion } from './question.js';
import type { Candidate, LeftOutStep } from './route.js';
import type { StepTemplate } from './composite-skill.js';

/** Agents that take over in turn when those before them do not accept the work. */
const MAX_FALLBACKS = 5;

/** Steps with their agents, who was left out of them, and the steps that were left out. */
export interface PlannedSteps {
  readonly plan: readonly PlanStep[];
  readonly skipped: readonly Candidate[];
  readonly leftOut: readonly LeftOutStep[];
}

/** How many of those that match get work. */
export interface Share {
  readonly strategy: StepStrategy;
  readonly require: RequirePolicy;
  readonly quorum?: number | undefined;
  /** For strategies that fan out. */
  readonly maxAgents?: number | undefined;
  /** The field in which the client asked for the quorum; undefined: an operator did. */
  readonly quorumField?: string | undefined;
}

/**
 * Chooses the agents of each step like those of a message that names its target. Throws what that throws,
 * naming the step. An optional step without an agent is left out and counts as failed for the
 * steps after it, as it would if its agents failed: those that wait for it to complete are skipped, the
 * others do without its artifacts, and begin when it would have. A plan that would then give no result is NO_ROUTE.
 */
export function planOfSteps(
  templates: readonly StepTemplate[],
  question: RoutingQuestion,
): PlannedSteps {
  const index = AgentIndex.of(question.agents);
  const plan: PlanStep[] = [];
  const skipped: Candidate[] = [];
  const leftOut: LeftOutStep[] = [];
  const left = new Map<string, LeftOut>();
  const leaveOut = (step: StepTemplate, as: LeftOut['as'], why: string): void => {
    left.set(step.name, { as, after: step.after });
    leftOut.push({ step: step.name, why });
  };
  for (const written of templates) {
    const missing = missingFor(written, left);
    if (missing !== undefined) {
      leaveOut(written, 'skipped', `Step "${written.name}" waits for "${missing}".`);
      continue;
    }
    const template = { ...written, after: conditionsOf(written, left) };
    try {
      const { chosen, ...step } = chooseStep(template, question, index);
      skipped.push(...step.skipped);
      plan.push(plannedStep(template, chosen, left));
    } catch (error) {
      if (!template.isOptional || !(error instanceof HubError)) throw error;
      // What it looked for may be what this caller may not know of.
      const hasNoRoute = error.reason === 'NO_ROUTE';
      const why = hasNoRoute ? `Step "${template.name}" finds no agent.` : error.message;
      leaveOut(template, 'failed', why);
    }
  }
  if (plan.some(({ isResult }) => isResult)) return { plan, skipped, leftOut };
  const reasons = leftOut.map(({ why }) => why).join(' ');
  throw new HubError('NO_ROUTE', `No step is left that would give a result. ${reasons}`);
}

interface LeftOut {
  /** How the step counts for those after it. */
  readonly as: 'failed' | 'skipped';
  /** What it waited for, of the steps that are not left out. */
  readonly after: StepTemplate['after'];
}

/** The step for want of which this one cannot begin. */
function missingFor(
  { after }: StepTemplate,
  left: ReadonlyMap<string, LeftOut>,
): string | undefined {
  return after.find(({ step, outcome }) => {
    const as = left.get(step)?.as;
    return as === 'skipped' || (as === 'failed' && outcome === 'completed');
  })?.step;
}

/**
 * What a step waits for: in the place of a step that is left out what that one waited for, since it
 * would not have failed before.
 */
function conditionsOf(
  { after }: StepTemplate,
  left: ReadonlyMap<string, LeftOut>,
): StepTemplate['after'] {
  const all = after.flatMap((condition) => left.get(condition.step)?.after ?? [condition]);
  return all.filter(
    ({ step, outcome }, index) =>
      all.findIndex((each) => each.step === step && each.outcome === outcome) === index,
  );
}

function chooseStep(
  template: StepTemplate,
  question: RoutingQuestion,
  index: AgentIndex,
): { chosen: readonly Candidate[]; skipped: readonly Candidate[] } {
  const { name, target, after } = template;
  question.excluded?.note(target, `Step "${name}":`);
  const media = mediaOf(template, question.media);
  return within(`Step "${name}"`, () => {
    const found = byTarget({ agentId: undefined, directive: target, media }, index);
    const arranged = arrange(found, {
      extensions: question.extensions,
      conditionOf: question.conditionOf,
      usedUp: question.usedUp ?? [],
      media,
      atLeast: template.quorum ?? 1,
      isImmediate: after.length === 0,
    });
    const { chosen, skipped } = shareOut(arranged, template);
    return {
      chosen,
      skipped: skipped.map((each) => ({ ...each, why: `Step "${name}": ${each.why}` })),
    };
  });
}

/**
 * Cuts the matches down to those that get work. A quorum that they cannot meet is INVALID_PARAMS where
 * the client asked for it, else NO_ROUTE.
 */
export function shareOut(
  { matches, skipped, lead }: Arranged,
  share: Share,
): {
  chosen: readonly Candidate[];
  skipped: readonly Candidate[];
} {
  const { strategy, require, quorum } = share;
  const { fansOut, hasRequirement } = policyOf(strategy);
  const maximum = fansOut ? (share.maxAgents ?? DIRECTIVE_LIMITS.maxAgents) : 1 + MAX_FALLBACKS;
  const over = `Over the maximum of ${maximum}.`;
  const left = matches.slice(maximum).map((match) => candidateOf(match, over));
  const chosen = matches
    .slice(0, maximum)
    .map((match, at) => candidateOf(match, at === 0 && !fansOut ? lead : undefined));
  if (hasRequirement && require === 'quorum' && quorum !== undefined && quorum > chosen.length) {
    const who = chosen.map(({ agentId }) => agentId).join(', ');
    const only = `only ${chosen.length} may be asked now: ${who}`;
    if (share.quorumField !== undefined) {
      throw invalidField(share.quorumField, `is ${quorum}, but ${only}`);
    }
    throw new HubError('NO_ROUTE', `The operator asks for a quorum of ${quorum}, but ${only}`);
  }
  return { chosen, skipped: [...skipped, ...left] };
}

function plannedStep(
  template: StepTemplate,
  chosen: readonly Candidate[],
  left: ReadonlyMap<string, LeftOut>,
): PlanStep {
  const { name, strategy, require, quorum, after, deadlineMs, isResult, isOptional } = template;
  const inputs = template.inputs.filter(
    (input) => input.from === 'message' || !left.has(input.step),
  );
  return {
    name,
    strategy,
    require,
    ...(quorum !== undefined && { quorum }),
    chosen,
    inputs: inputs.length > 0 ? inputs : [{ from: 'message' }],
    after,
    ...(deadlineMs !== undefined && { deadlineMs }),
    isResult,
    isOptional,
  };
}

/** The client's parts count for steps that get them, what it takes back for those that make the result. */
function mediaOf({ inputs, isResult }: StepTemplate, media: MediaTypes): MediaTypes {
  const getsMessage = inputs.some(({ from }) => from === 'message');
  return {
    ...media,
    input: getsMessage ? media.input : [],
    output: isResult ? media.output : [],
  };
}

/** What `choose` gives; a refusal of it begins with where in a plan it happened. */
export function within<T>(place: string, choose: () => T): T {
  try {
    return choose();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    throw new HubError(error.reason, `${place}: ${error.message}`, {
      metadata: error.metadata,
      violations: error.violations,
      cause: error,
    });
  }
}
