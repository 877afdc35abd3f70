import { Matches } from 'class-validator';
import { Flag, Int, Nested, Num, Text } from '../../common/http/fields.js';
import { ID, NAME, TAG, TEXT } from '../../common/http/text-forms.js';
import { DIRECTIVE_LIMITS } from '../../protocol/routing-extension.js';
import { CompositeStepDto } from './composite-step.dto.js';
import { COMPOSITE_LIMITS, type CompositeDefinition } from './domain/composite.js';

const MEDIA_TYPE = /^[\w!#$&^.+*-]{1,100}\/[\w!#$&^.+*-]{1,100}(;[ -~]{1,100})?$/;
const MEDIA_TYPE_RULE = { each: true, message: 'each must be a media type such as text/plain' };
const MAX_NAME = 200;
const MAX_TEXT = 4000;
const MAX_ENTRIES = 50;

/** What a composite skill may do without. */
class CompositeOptionsDto {
  @Text({ optional: true, list: { max: MAX_ENTRIES }, like: TAG })
  tags?: string[];

  @Text({
    optional: true,
    list: { max: MAX_ENTRIES },
    max: MAX_TEXT,
    like: TEXT,
    description: 'Example messages.',
  })
  examples?: string[];

  @Text({ optional: true, list: { max: MAX_ENTRIES }, description: 'Accepted media types.' })
  @Matches(MEDIA_TYPE, MEDIA_TYPE_RULE)
  inputModes?: string[];

  @Text({ optional: true, list: { max: MAX_ENTRIES }, description: 'Media types of its results.' })
  @Matches(MEDIA_TYPE, MEDIA_TYPE_RULE)
  outputModes?: string[];

  @Text({
    optional: true,
    nullable: true,
    list: { min: 1, max: 1000 },
    like: NAME,
    description: 'The organizations that may use it. Null, the default: all organizations.',
  })
  organizations?: string[] | null;

  @Flag({ optional: true, default: true, description: 'False: it gets no new tasks.' })
  enabled?: boolean;

  @Num({
    optional: true,
    nullable: true,
    max: DIRECTIVE_LIMITS.deadlineSeconds,
    isPositive: true,
    description:
      'The time after which the open delegations of the task are canceled. Null, the default: no limit.',
  })
  deadlineSeconds?: number | null;

  @Int({
    optional: true,
    nullable: true,
    min: 1,
    max: DIRECTIVE_LIMITS.maxCalls,
    description: "The most messages to agents for one task. Null, the default: the setting's.",
  })
  maxCalls?: number | null;
}

/** Each member that is given replaces what there is; `steps` as a whole. */
export class PatchCompositeDto extends CompositeOptionsDto implements Partial<CompositeDefinition> {
  @Text({ optional: true, max: MAX_NAME, like: NAME })
  name?: string;

  @Text({ optional: true, max: MAX_TEXT, like: TEXT })
  description?: string;

  @Nested(() => CompositeStepDto, { optional: true, list: { min: 1, max: COMPOSITE_LIMITS.steps } })
  steps?: CompositeStepDto[];
}

/** A composite skill to be made; also the form of one entry of `compositeSkills` in YAML. */
export class CreateCompositeDto extends CompositeOptionsDto {
  @Text({ like: ID, description: "The hub's card shows it as `composite.<id>`." })
  id!: string;

  @Text({ max: MAX_NAME, like: NAME })
  name!: string;

  @Text({ max: MAX_TEXT, like: TEXT })
  description!: string;

  @Nested(() => CompositeStepDto, { list: { min: 1, max: COMPOSITE_LIMITS.steps } })
  steps!: CompositeStepDto[];
}

export class CompositeOrganizationQueryDto {
  @Text({
    optional: true,
    max: 200,
    description:
      "Evaluated with the agents that this organization may use. Default: the caller's own.",
  })
  organization?: string;
}
