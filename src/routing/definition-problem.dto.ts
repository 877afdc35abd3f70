import type { FieldViolation } from '../common/hub-error.js';
import { Shown } from '../common/http/fields.js';

/** What keeps a rule or a composite skill from being saved, or from being used. */
export class DefinitionProblemDto implements FieldViolation {
  @Shown.Text({ example: 'steps[1].agentId' })
  readonly field!: string;

  @Shown.Text()
  readonly description!: string;
}
