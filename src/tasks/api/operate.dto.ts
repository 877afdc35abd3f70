import { Shown, Text } from '../../common/http/fields.js';
import { SENTENCE } from '../../common/http/text-forms.js';
import { Task } from '../../protocol/a2a.js';

export class CancelTaskDto {
  @Text({
    optional: true,
    like: SENTENCE,
    description: 'Why, for the client of the task and for the log: 1 to 500 characters.',
    example: 'The agent is stuck; please send it again.',
  })
  reason?: string;
}

/** A task as its client sees it. */
export class TaskContentDto {
  @Shown.Other({ type: Object }, { description: 'The Task as A2A 1.0 writes it.' })
  readonly task: unknown;

  constructor(task: Task) {
    this.task = Task.toJSON(task);
  }
}
