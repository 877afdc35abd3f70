import { Shown } from '../common/http/fields.js';
import { REQUIRE_POLICIES, type RequirePolicy } from '../protocol/routing-extension.js';
import { STRATEGIES } from '../protocol/strategies.js';
import {
  STEP_OUTCOMES,
  type PlanStep,
  type StepCondition,
  type StepInput,
  type StepOutcome,
} from './domain/plan.js';
import type {
  Candidate,
  LeftOutStep,
  PassedRule,
  Route,
  RouteReason,
  RouteStrategy,
} from './domain/route.js';
import { STEP_STRATEGIES, type StepStrategy } from './domain/strategy/step-policies.js';
import { RuleReportDto } from './rules/rule-dry-run.dto.js';

const REASONS: readonly RouteReason[] = [
  'agent',
  'skill',
  'tags',
  'affinity',
  'rule',
  'text',
  'default',
];
const CHOSEN =
  '`one`: tried in this order until one accepts. `all`, `first`: the message is sent to each.';

export class CandidateDto implements Candidate {
  @Shown.Text()
  readonly agentId!: string;

  @Shown.Text({ optional: true })
  readonly skillId?: string;

  @Shown.Num({
    optional: true,
    description: 'How well it matches the text, 0 to 1, when text matching was used.',
  })
  readonly score?: number;

  @Shown.Text({ description: 'Why it was chosen, or why it was left out.' })
  readonly why!: string;
}

/** What an agent of a step is given. */
export class RouteInputDto {
  @Shown.Choice(['message', 'step'])
  readonly from!: 'message' | 'step';

  @Shown.Text({ optional: true, description: 'The step whose artifacts are passed on.' })
  readonly step?: string;
}

/** When a step begins. */
export class RouteConditionDto implements StepCondition {
  @Shown.Text()
  readonly step!: string;

  @Shown.Choice(STEP_OUTCOMES)
  readonly outcome!: StepOutcome;
}

/** One step of a plan. */
export class RouteStepDto implements PlanStep {
  @Shown.Text()
  readonly name!: string;

  @Shown.Choice(STEP_STRATEGIES)
  readonly strategy!: StepStrategy;

  @Shown.Choice(REQUIRE_POLICIES, { description: 'For `all`.' })
  readonly require!: RequirePolicy;

  @Shown.Num({ optional: true })
  readonly quorum?: number;

  @Shown.Nested(() => CandidateDto, { list: true, description: CHOSEN })
  readonly chosen!: readonly CandidateDto[];

  @Shown.Nested(() => RouteInputDto, { list: true })
  readonly inputs!: readonly StepInput[];

  @Shown.Nested(() => RouteConditionDto, {
    list: true,
    description: 'All must hold before it begins.',
  })
  readonly after!: readonly RouteConditionDto[];

  @Shown.Num({ optional: true })
  readonly deadlineMs?: number;

  @Shown.Flag({ description: "Its artifacts are the task's result." })
  readonly isResult!: boolean;

  @Shown.Flag({ description: 'The task may complete without it.' })
  readonly isOptional!: boolean;
}

export class LeftOutStepDto implements LeftOutStep {
  @Shown.Text()
  readonly step!: string;

  @Shown.Text()
  readonly why!: string;
}

export class RouteRuleDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text()
  readonly name!: string;
}

export class PassedRuleDto extends RouteRuleDto implements PassedRule {
  @Shown.Text()
  readonly why!: string;
}

export class RouteCompositeDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Num()
  readonly version!: number;
}

export class RouteDto implements Route {
  @Shown.Choice(REASONS, { description: 'What decided.' })
  readonly reason!: RouteReason;

  @Shown.Choice([...STRATEGIES, 'plan'], {
    description: '`plan`: that of a composite skill of several steps.',
  })
  readonly strategy!: RouteStrategy;

  @Shown.Choice(REQUIRE_POLICIES)
  readonly require!: RequirePolicy;

  @Shown.Num({ optional: true, description: 'For `require: quorum`.' })
  readonly quorum?: number;

  @Shown.Num({ optional: true })
  readonly deadlineMs?: number;

  @Shown.Num({ optional: true, description: 'The most messages to agents.' })
  readonly maxCalls?: number;

  @Shown.Nested(() => CandidateDto, { list: true, description: CHOSEN })
  readonly chosen!: readonly CandidateDto[];

  @Shown.Nested(() => CandidateDto, { list: true, description: 'At most 50.' })
  readonly skipped!: readonly CandidateDto[];

  @Shown.Num({ optional: true, description: 'How many more were left out.' })
  readonly moreSkipped?: number;

  @Shown.Nested(() => CandidateDto, {
    optional: true,
    list: true,
    description:
      'Agents that fit what was requested, but which the caller may not use: disabled, forbidden by policies, or named by their ids and restricted to other organizations. Those that are named come first. At most 50. Of a task for the scope `tasks:all`, of a dry run for the scope `routing`.',
  })
  readonly excluded?: readonly CandidateDto[];

  @Shown.Num({ optional: true, description: 'How many more were excluded.' })
  readonly moreExcluded?: number;

  @Shown.Num({
    optional: true,
    description: 'How many more agents fit that are restricted to other organizations.',
  })
  readonly excludedElsewhere?: number;

  @Shown.Flag({
    optional: true,
    description:
      'More than 1,000 agents that the caller may not use came into question, and not all were looked at: there may be more. Else absent.',
  })
  readonly isExcludedPartial?: true;

  @Shown.Nested(() => RouteStepDto, {
    optional: true,
    list: true,
    description: 'Of `chain`, `synthesize` and composite skills; `chosen` then has all of them.',
  })
  readonly plan?: readonly RouteStepDto[];

  @Shown.Nested(() => LeftOutStepDto, {
    optional: true,
    list: true,
    description: 'Optional steps of the composite skill that are left out of the plan.',
  })
  readonly leftOut?: readonly LeftOutStepDto[];

  @Shown.Nested(() => RouteRuleDto, {
    optional: true,
    description: 'The rule that decided.',
  })
  readonly rule?: RouteRuleDto;

  @Shown.Nested(() => PassedRuleDto, {
    optional: true,
    list: true,
    description: 'Earlier rules that applied, but for which no agent could be used.',
  })
  readonly passedRules?: readonly PassedRuleDto[];

  @Shown.Nested(() => RouteCompositeDto, { optional: true, description: 'The composite skill.' })
  readonly composite?: RouteCompositeDto;
}

/** The answer of a dry run. */
export class DryRunRouteDto extends RouteDto {
  @Shown.Nested(() => RuleReportDto, {
    optional: true,
    list: true,
    description:
      'The outcome of each rule, when rules were evaluated; for callers who may manage them (scope `routing`).',
  })
  readonly rules?: readonly RuleReportDto[];

  @Shown.Text({
    optional: true,
    list: true,
    description:
      'What is most likely meant otherwise: the organization of the caller that is assumed does not exist.',
  })
  readonly warnings?: readonly string[];
}
