import { Choice, Text } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';

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
}
