import { Body, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ReserveAnswer, CurrentPrincipal, operatorOf, type Principal } from '../../auth/index.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { AuditedRead } from '../../common/http/audited-route.js';
import { TaskReaders } from './task-readers.js';
import { TaskDto } from './task.dto.js';
import type { ReserveBytes } from '../store/task-store.js';
import type { TaskAggregate } from '../task.js';
import { CancelTaskDto, TaskContentDto } from './operate.dto.js';
import { TaskOperator } from '../operations/task-operator.js';

/** What operators do with one task of anybody. */
@AdminController('tasks', 'api/v1/tasks', 'tasks:all')
export class OperateController {
  constructor(
    private readonly operator: TaskOperator,
    private readonly readers: TaskReaders,
  ) {}

  @Get(':id/content')
  @AuditedRead()
  @ApiOperation({
    summary:
      'Get any task as its client sees it: status, history and artifacts. The read is logged.',
  })
  @ApiOkResponse({ type: TaskContentDto })
  async content(
    @Param('id') id: string,
    @CurrentPrincipal() caller: Principal,
    @ReserveAnswer() reserve?: ReserveBytes,
  ): Promise<TaskContentDto> {
    return new TaskContentDto((await this.operator.read(id, operatorOf(caller), reserve)).task);
  }

  // The plain `:id:cancel` would also match other verbs after the second colon.
  @Post(':id(^[^:]+)::cancel')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Cancel any task that has not ended, on behalf of its client. The cancel is logged.',
    description:
      'Answers when the task has ended, or when the cancel wait of its agents is over. The task says that an operator canceled it, and why.',
  })
  @ApiOkResponse({ type: TaskDto })
  async cancel(
    @Param('id') id: string,
    @Body() { reason }: CancelTaskDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<TaskDto> {
    return this.shown(await this.operator.cancel(id, operatorOf(caller, reason)), caller);
  }

  @Post(':id(^[^:]+)::retry')
  @ApiOperation({
    summary:
      'Retry a task that has ended: send its first message again, as a new task. The retry is logged.',
    description:
      'The new task belongs to the owner of the old one, is in the same context, is routed again and names the old one (`retryOf`, for its client under urn:a2a-hub:routing:v1), which names it in turn (`retriedAs`). Further messages and webhooks of the old task are not repeated. 409 for a task that has not ended. While the new task is open, another retry answers with that task.',
  })
  @ApiCreatedResponse({ type: TaskDto })
  async retry(@Param('id') id: string, @CurrentPrincipal() caller: Principal): Promise<TaskDto> {
    return this.shown(await this.operator.retry(id, operatorOf(caller)), caller);
  }

  private async shown(task: TaskAggregate, caller: Principal): Promise<TaskDto> {
    return new TaskDto(task, await this.readers.of(caller, [task]));
  }
}
