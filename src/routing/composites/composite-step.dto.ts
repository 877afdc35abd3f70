import { Choice, Flag, Int, Nested, Num, Text } from '../../common/http/fields.js';
import { ID } from '../../common/http/text-forms.js';
import {
  DIRECTIVE_LIMITS,
  REQUIRE_POLICIES,
  type RequirePolicy,
} from '../../protocol/routing-extension.js';
import { STEP_OUTCOMES, type StepOutcome } from '../domain/plan.js';
import {
  STEP_STRATEGIES,
  STEP_STRATEGY_TEXT,
  type StepStrategy,
} from '../domain/strategy/step-policies.js';
import { COMPOSITE_LIMITS, type WrittenCondition, type WrittenStep } from './domain/composite.js';
import { TargetDto } from '../target.dto.js';

export class StepConditionDto implements WrittenCondition {
  @Text({ like: ID, description: 'The name of a step.' })
  step!: string;

  @Choice(STEP_OUTCOMES, {
    optional: true,
    default: 'completed',
    description: 'How it must have ended; `ended`: either way. A skipped step has not ended.',
  })
  outcome?: StepOutcome;
}

export class CompositeStepDto extends TargetDto implements WrittenStep {
  @Text({ like: ID, description: 'Unique here; not `message`.' })
  name!: string;

  @Choice(STEP_STRATEGIES, { optional: true, default: 'one', description: STEP_STRATEGY_TEXT })
  strategy?: StepStrategy;

  @Choice(REQUIRE_POLICIES, {
    optional: true,
    default: 'all',
    description: 'For `all`: how many agents must complete.',
  })
  require?: RequirePolicy;

  @Int({
    optional: true,
    min: 1,
    max: COMPOSITE_LIMITS.delegations,
    description: 'For `require: quorum`.',
  })
  quorum?: number;

  @Int({
    optional: true,
    min: 1,
    max: COMPOSITE_LIMITS.delegations,
    default: COMPOSITE_LIMITS.maxAgents,
    description: 'For `all` and `first`.',
  })
  maxAgents?: number;

  @Text({
    optional: true,
    list: { min: 1, max: COMPOSITE_LIMITS.steps + 1 },
    max: DIRECTIVE_LIMITS.textLength,
    description:
      '`message` and names of steps, in the order the agent gets them. Default: the previous step, then `message`; for the first step `message`.',
  })
  inputs?: string[];

  @Nested(() => StepConditionDto, {
    optional: true,
    list: { max: COMPOSITE_LIMITS.steps },
    description: 'All conditions must hold. Default: every step that `inputs` names has completed.',
  })
  after?: StepConditionDto[];

  @Num({
    optional: true,
    max: DIRECTIVE_LIMITS.deadlineSeconds,
    isPositive: true,
    description: 'The time from its beginning after which its open delegations are canceled.',
  })
  deadlineSeconds?: number;

  @Flag({ optional: true, default: false, description: 'The task may complete without it.' })
  optional?: boolean;

  @Flag({
    optional: true,
    description: 'Its artifacts are the result. Default: true when no other step uses them.',
  })
  result?: boolean;
}
