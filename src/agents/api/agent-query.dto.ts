import { Choice, Text } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { HEALTH_FILTERS, type HealthFilter } from './agents-by-health.js';

export class AgentQueryDto extends PageQueryDto {
  @Text({ optional: true, max: 100, description: "A tag of the operator's or of a skill." })
  tag?: string;

  @Text({ optional: true, max: 1000, description: 'The id of a skill.' })
  skill?: string;

  @Text({
    optional: true,
    max: 1000,
    description: 'Part of the id, the name, the description or the name of a skill.',
  })
  text?: string;

  @Choice(['enabled', 'disabled'], { optional: true })
  state?: 'enabled' | 'disabled';

  @Choice(HEALTH_FILTERS, {
    optional: true,
    description:
      'As the process that answers sees it. troubled: something is wrong with it (its trouble); failing: by its verdict; the others: by its health, and its verdict is not failing.',
  })
  health?: HealthFilter;
}
