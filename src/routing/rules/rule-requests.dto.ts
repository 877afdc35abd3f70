import { Flag, Int, Nested, Text } from '../../common/http/fields.js';
import { ID, NAME } from '../../common/http/text-forms.js';
import { RULE_LIMITS } from './domain/rule.js';
import { RuleConditionsDto, RuleTargetDto, WrittenRuleDto } from './rule.dto.js';

/** Rules of both kinds, those declared in YAML and those of the API. */
const MAX_POSITION = 2 * RULE_LIMITS.rules;
const POSITION = {
  type: Number,
  minimum: 1,
  description: 'Its place among all rules, from 1; those declared in YAML come first.',
} as const;

export class CreateRuleDto extends WrittenRuleDto {
  @Int({
    ...POSITION,
    optional: true,
    min: 1,
    max: MAX_POSITION,
    description: `${POSITION.description} Default: the last.`,
  })
  position?: number;
}

/** What is absent stays; `conditions` and `target` are replaced whole. */
export class PatchRuleDto {
  @Text({ optional: true, like: NAME })
  name?: string;

  @Flag({ optional: true })
  enabled?: boolean;

  @Int({ ...POSITION, optional: true, min: 1, max: MAX_POSITION })
  position?: number;

  @Nested(() => RuleConditionsDto, { optional: true })
  conditions?: RuleConditionsDto;

  @Nested(() => RuleTargetDto, { optional: true })
  target?: RuleTargetDto;
}

export class ReorderRulesDto {
  @Text({
    list: { max: RULE_LIMITS.rules },
    max: RULE_LIMITS.text,
    description: 'The id of every rule created through the API once, in the new order.',
  })
  ids!: string[];
}

export class RuleReplacedQueryDto {
  @Text({
    optional: true,
    like: ID,
    description: 'The id of the rule that is changed to this one. Default: it is a new rule.',
  })
  replaces?: string;
}
