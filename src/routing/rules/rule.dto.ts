import { Matches, Validate } from 'class-validator';
import { Choice, Flag, Int, Json, Nested, Num, Text } from '../../common/http/fields.js';
import { ID, NAME, SENTENCE, TAG } from '../../common/http/text-forms.js';
import { SCOPES, type Scope } from '../../common/scope.js';
import {
  DIRECTIVE_LIMITS,
  type TagMatch,
  MATCHES,
  REQUIRE_POLICIES,
  type RequirePolicy,
} from '../../protocol/routing-extension.js';
import { STEP_STRATEGIES, type StepStrategy } from '../domain/strategy/step-policies.js';
import {
  type MetadataValue,
  RULE_LIMITS,
  type RuleAction,
  type RuleConditions,
  type TextCondition,
} from './domain/rule.js';
import { MetadataConstraint } from './metadata-constraint.js';
import { TargetDto } from '../target.dto.js';

const MEDIA_RANGE = /^(\*\/\*|[\w!#$&^.+-]{1,100}\/(\*|[\w!#$&^.+-]{1,100}))$/;
const MEDIA_RANGE_RULE = {
  each: true,
  message: 'each must be a media type such as image/png, or a range such as image/*',
};
const METADATA_VALUE = { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] };

export class TextConditionDto implements TextCondition {
  @Text({
    min: 1,
    max: RULE_LIMITS.pattern,
    description: 'A regular expression in RE2 syntax; it may match anywhere in the text.',
    example: '\\b(invoice|refund)s?\\b',
  })
  pattern!: string;

  @Flag({ optional: true, default: false })
  ignoreCase?: boolean;
}

export class RuleConditionsDto implements RuleConditions {
  @Text({
    optional: true,
    list: { min: 1, max: RULE_LIMITS.entries },
    like: NAME,
    description: "The caller's organization is one of them.",
  })
  organizations?: string[];

  @Choice(SCOPES, {
    optional: true,
    list: { min: 1 },
    description: 'The caller holds one of them; `admin` holds all.',
  })
  scopes?: Scope[];

  @Text({
    optional: true,
    list: { min: 1, max: RULE_LIMITS.entries },
    description: 'Some part of the message has one of these media types.',
    example: ['image/*'],
  })
  @Matches(MEDIA_RANGE, MEDIA_RANGE_RULE)
  inputTypes?: string[];

  @Text({
    optional: true,
    list: { min: 1, max: RULE_LIMITS.entries },
    like: TAG,
    description:
      'The client requested these tags and no skill has them, or they are under `tags` in the metadata of the message.',
  })
  tags?: string[];

  @Choice(MATCHES, {
    optional: true,
    default: 'any',
    description: 'Whether all `tags` or any of them must match.',
  })
  tagMatch?: TagMatch;

  @Nested(() => TextConditionDto, { optional: true, description: 'The text parts match.' })
  text?: TextConditionDto;

  @Json({
    optional: true,
    values: {
      oneOf: [...METADATA_VALUE.oneOf, { type: 'array', items: METADATA_VALUE }],
    },
    description: 'Members of the metadata by their path: a value, or a list of accepted values.',
    example: { channel: 'web', 'customer.tier': ['gold', 'platinum'] },
  })
  @Validate(MetadataConstraint)
  metadata?: Record<string, MetadataValue | MetadataValue[]>;
}

export class RuleTargetDto extends TargetDto implements RuleAction {
  @Text({ optional: true, like: ID, description: "A composite skill's id." })
  composite?: string;

  @Text({
    optional: true,
    max: RULE_LIMITS.reject,
    like: SENTENCE,
    description: 'The message is refused (NO_ROUTE) with this text.',
  })
  reject?: string;

  @Choice(STEP_STRATEGIES, {
    optional: true,
    default: 'one',
    description: 'This and the members below apply where the client sets no such option itself.',
  })
  strategy?: StepStrategy;

  @Choice(REQUIRE_POLICIES, { optional: true, default: 'all', description: 'For `all`.' })
  require?: RequirePolicy;

  @Int({
    optional: true,
    min: 1,
    max: DIRECTIVE_LIMITS.maxAgents,
    description: 'For `require: quorum`.',
  })
  quorum?: number;

  @Int({ optional: true, min: 1, max: DIRECTIVE_LIMITS.maxAgents })
  maxAgents?: number;

  @Num({ optional: true, max: DIRECTIVE_LIMITS.deadlineSeconds, isPositive: true })
  deadlineSeconds?: number;

  @Int({ optional: true, min: 1, max: DIRECTIVE_LIMITS.maxCalls })
  maxCalls?: number;
}

/** A rule as it is declared in YAML, where its place is that in the list. */
export class WrittenRuleDto {
  @Text({ optional: true, like: ID, description: 'Default: derived from its name.' })
  id?: string;

  @Text({ like: NAME, example: 'Invoices' })
  name!: string;

  @Flag({ optional: true, default: true })
  enabled?: boolean;

  @Nested(() => RuleConditionsDto, {
    optional: true,
    description: 'All given conditions must hold; without any the rule applies to every message.',
  })
  conditions?: RuleConditionsDto;

  @Nested(() => RuleTargetDto, {
    description: 'Exactly one of `agentId`, `skillId`, `tags`, `composite` and `reject`.',
  })
  target!: RuleTargetDto;
}
