import { Int, Text } from './fields.js';

import { Type } from 'class-transformer';

/** The query of a list of the admin API; lists extend it with their filters. */
export class PageQueryDto {
  @Int({ optional: true, min: 1, max: 200, default: 50 })
  @Type(() => Number)
  limit: number = 50;

  @Text({ optional: true, max: 1000, description: 'The `nextCursor` of the previous page.' })
  cursor?: string;
}
