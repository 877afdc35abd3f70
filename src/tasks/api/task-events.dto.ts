import { Type } from 'class-transformer';
import { Int, Shown } from '../../common/http/fields.js';
import { TaskEventDto } from './task.dto.js';

export class TaskEventsQueryDto {
  @Int({
    optional: true,
    min: 0,
    default: 0,
    description: 'Only events with a higher number. Last-Event-ID goes before it.',
  })
  @Type(() => Number)
  after: number = 0;

  @Int({ optional: true, min: 1, max: 200, default: 100, description: 'Of a page.' })
  @Type(() => Number)
  limit: number = 100;
}

export class TaskEventsDto {
  @Shown.Nested(() => TaskEventDto, {
    list: true,
    description: 'Oldest first. None behind those that have a mebibyte together.',
  })
  readonly items: readonly TaskEventDto[];

  @Shown.Num({ description: '`after` of the next page, whether there is more by now or not.' })
  readonly next: number;

  @Shown.Flag({ description: 'There are more events by now.' })
  readonly hasMore: boolean;

  constructor(items: readonly TaskEventDto[], next: number, hasMore: boolean) {
    this.items = items;
    this.next = next;
    this.hasMore = hasMore;
  }
}
