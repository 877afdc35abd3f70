import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { REQUIRE_POLICIES, type RequirePolicy } from '../protocol/routing-extension.js';
import { STRATEGIES } from '../protocol/strategies.js';
import {
  STEP_OUTCOMES,
  type PlanStep,
  type StepCondition,
  type StepInput,
  type StepOutcome,
} from './domain/plan.js';
import { STEP_STRATEGIES, type StepStrategy } from './domain/strategy/step-policies.js';
import type {
  Candidate,
  LeftOutStep,
  PassedRule,
  Route,
  RouteReason,
  RouteStrategy,
} from './domain/route.js';
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
  @ApiProperty({ type: String })
  readonly agentId!: string;

  @ApiPropertyOptional({ type: String })
  readonly skillId?: string;

  @ApiPropertyOptional({
    type: Number,
    description: 'How well it matches the text, 0 to 1, when text matching was used.',
  })
  readonly score?: number;

  @ApiProperty({ type: String, description: 'Why it was chosen, or why it was left out.' })
  readonly why!: string;
}

/** What an agent of a step is given. */
export class RouteInputDto {
  @ApiProperty({ enum: ['message', 'step'] })
  readonly from!: 'message' | 'step';

  @ApiPropertyOptional({ type: String, description: 'The step whose artifacts are passed on.' })
  readonly step?: string;
}

/** When a step begins. */
export class RouteConditionDto implements StepCondition {
  @ApiProperty({ type: String })
  readonly step!: string;

  @ApiProperty({ enum: STEP_OUTCOMES })
  readonly outcome!: StepOutcome;
}

/** One step of a plan. */
export class RouteStepDto implements PlanStep {
  @ApiProperty({ type: String })
  readonly name!: string;

  @ApiProperty({ enum: STEP_STRATEGIES })
  readonly strategy!: StepStrategy;

  @ApiProperty({ enum: REQUIRE_POLICIES, description: 'For `all`.' })
  readonly require!: RequirePolicy;

  @ApiPropertyOptional({ type: Number })
  readonly quorum?: number;

  @ApiProperty({ type: [CandidateDto], description: CHOSEN })
  readonly chosen!: readonly CandidateDto[];

  @ApiProperty({ type: [RouteInputDto] })
  readonly inputs!: readonly StepInput[];

  @ApiProperty({ type: [RouteConditionDto], description: 'All must hold before it begins.' })
  readonly after!: readonly RouteConditionDto[];

  @ApiPropertyOptional({ type: Number })
  readonly deadlineMs?: number;

  @ApiProperty({ type: Boolean, description: "Its artifacts are the task's result." })
  readonly isResult!: boolean;

  @ApiProperty({ type: Boolean, description: 'The task may complete without it.' })
  readonly isOptional!: boolean;
}

export class LeftOutStepDto implements LeftOutStep {
  @ApiProperty({ type: String })
  readonly step!: string;

  @ApiProperty({ type: String })
  readonly why!: string;
}

export class RouteRuleDto {
  @ApiProperty({ type: String })
  readonly id!: string;

  @ApiProperty({ type: String })
  readonly name!: string;
}

export class PassedRuleDto extends RouteRuleDto implements PassedRule {
  @ApiProperty({ type: String })
  readonly why!: string;
}

export class RouteCompositeDto {
  @ApiProperty({ type: String })
  readonly id!: string;

  @ApiProperty({ type: Number })
  readonly version!: number;
}

export class RouteDto implements Route {
  @ApiProperty({ enum: REASONS, description: 'What decided.' })
  readonly reason!: RouteReason;

  @ApiProperty({
    enum: [...STRATEGIES, 'plan'],
    description: '`plan`: that of a composite skill of several steps.',
  })
  readonly strategy!: RouteStrategy;

  @ApiProperty({ enum: REQUIRE_POLICIES })
  readonly require!: RequirePolicy;

  @ApiPropertyOptional({ type: Number, description: 'For `require: quorum`.' })
  readonly quorum?: number;

  @ApiPropertyOptional({ type: Number })
  readonly deadlineMs?: number;

  @ApiPropertyOptional({ type: Number, description: 'The most messages to agents.' })
  readonly maxCalls?: number;

  @ApiProperty({ type: [CandidateDto], description: CHOSEN })
  readonly chosen!: readonly CandidateDto[];

  @ApiProperty({ type: [CandidateDto] })
  readonly skipped!: readonly CandidateDto[];

  @ApiPropertyOptional({
    type: [RouteStepDto],
    description: 'Of `chain`, `synthesize` and composite skills; `chosen` then has all of them.',
  })
  readonly plan?: readonly RouteStepDto[];

  @ApiPropertyOptional({
    type: [LeftOutStepDto],
    description: 'Optional steps of the composite skill that are left out of the plan.',
  })
  readonly leftOut?: readonly LeftOutStepDto[];

  @ApiPropertyOptional({
    type: RouteRuleDto,
    description: 'The rule that decided; for callers who may manage rules.',
  })
  readonly rule?: RouteRuleDto;

  @ApiPropertyOptional({
    type: [PassedRuleDto],
    description: 'Earlier rules that applied, but for which no agent could be used.',
  })
  readonly passedRules?: readonly PassedRuleDto[];

  @ApiPropertyOptional({ type: RouteCompositeDto, description: 'The composite skill.' })
  readonly composite?: RouteCompositeDto;
}

/** The answer of a dry run. */
export class DryRunRouteDto extends RouteDto {
  @ApiPropertyOptional({
    type: [RuleReportDto],
    description:
      'The outcome of each rule, when rules were evaluated; for callers who may manage them (scope `agents`).',
  })
  readonly rules?: readonly RuleReportDto[];
}
