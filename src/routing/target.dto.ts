import { Choice, Text } from '../common/http/fields.js';
import { ID, TAG } from '../common/http/text-forms.js';
import {
  DIRECTIVE_LIMITS,
  MATCHES,
  type RoutingTarget,
  type TagMatch,
} from '../protocol/routing-extension.js';

/** Who is asked, as operators write it. */
export class TargetDto implements RoutingTarget {
  @Text({ optional: true, like: ID, description: "An agent's id." })
  agentId?: string;

  @Text({
    optional: true,
    min: 1,
    max: DIRECTIVE_LIMITS.textLength,
    description: "`agentId.skillId` of the hub's card, or a skill id that agents share.",
  })
  skillId?: string;

  @Text({
    optional: true,
    list: { min: 1, max: DIRECTIVE_LIMITS.tags },
    like: TAG,
    description: 'Agents with a skill that has these tags.',
  })
  tags?: string[];

  @Choice(MATCHES, {
    optional: true,
    default: 'all',
    description: 'Whether all `tags` or any of them must match.',
  })
  match?: TagMatch;
}
