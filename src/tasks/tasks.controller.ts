import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  AdminController,
  CurrentPrincipal,
  EVERYTHING,
  hasScope,
  type Principal,
  type Visibility,
} from '../auth/index.js';
import { taskNotFound } from './task-errors.js';
import { TaskLists } from './task-lists.js';
import { TaskLog } from './task-log.js';
import { filterOf, TaskDetailDto, TaskDto, TaskPageDto, TaskQueryDto } from './task.dto.js';

/** The newest events of a task that its details show. */
const SHOWN_EVENTS = 100;

/** Tasks for operators: their organization's, or everybody's with scope `admin`. */
@AdminController('tasks', 'api/v1/tasks', 'tasks:organization')
export class TasksController {
  constructor(
    private readonly lists: TaskLists,
    private readonly log: TaskLog,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Lists tasks with their delegations, newest status first.' })
  @ApiOkResponse({ type: TaskPageDto })
  async list(
    @Query() query: TaskQueryDto,
    @CurrentPrincipal() principal: Principal,
  ): Promise<TaskPageDto> {
    const page = await this.lists.all(
      filterOf(query),
      operatorsView(principal),
      query.limit,
      query.cursor,
    );
    return { ...page, items: page.items.map((each) => new TaskDto(each)) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One task: its route, its delegations and its newest events.' })
  @ApiOkResponse({ type: TaskDetailDto })
  async get(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
  ): Promise<TaskDetailDto> {
    const aggregate = await this.log.read(id, operatorsView(principal));
    if (!aggregate) throw taskNotFound(id);
    const after = Math.max(0, aggregate.record.seq - SHOWN_EVENTS);
    return new TaskDetailDto(aggregate, await this.log.events(id, after, SHOWN_EVENTS));
  }
}

function operatorsView(principal: Principal): Visibility {
  return hasScope(principal, 'admin')
    ? EVERYTHING
    : { kind: 'organization', organization: principal.organization };
}
