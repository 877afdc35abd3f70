import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { IfGiven, SENTENCE, SENTENCE_RULE } from '../../common/http/fields.js';
import { Task } from '../../protocol/a2a.js';

export class CancelTaskDto {
  @ApiPropertyOptional({
    type: String,
    description: 'Why, for the client of the task and for the log: 1 to 500 characters.',
    example: 'The agent is stuck; please send it again.',
  })
  @IfGiven()
  @Matches(SENTENCE, SENTENCE_RULE)
  reason?: string;
}

/** A task as its client sees it. */
export class TaskContentDto {
  @ApiProperty({ type: Object, description: 'The Task as A2A 1.0 writes it.' })
  readonly task: unknown;

  constructor(task: Task) {
    this.task = Task.toJSON(task);
  }
}
