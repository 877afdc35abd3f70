import { Delete, Get, HttpCode, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import {
  ReserveAnswer,
  CurrentPrincipal,
  EVERYTHING,
  hasScope,
  type Principal,
  visibilityOf,
} from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { ACCEPTED_AGE, AcceptedAge } from '../../common/http/accepted-age.js';
import { AdminController, RequireEither } from '../../common/http/admin-controller.js';
import { PageType } from '../../common/http/page-type.js';
import type { Page } from '../../common/page.js';
import { SharedReading } from '../../common/shared-reading.js';
import { AppConfig } from '../../config/index.js';
import { RuleNames } from '../../routing/index.js';
import { taskNotFound } from '../domain/task-errors.js';
import { TaskLog } from '../log/task-log.js';
import { TaskDeleter } from '../operations/task-deleter.js';
import { operatorsView } from '../reading/operators-view.js';
import { TaskLists } from '../reading/task-lists.js';
import { stuckSince } from '../store/stuck-tasks.js';
import type { ReserveBytes, TaskSearch } from '../store/task-store.js';
import { DeleteTaskQueryDto } from './delete-task.dto.js';
import { NotedReads } from './noted-reads.js';
import {
  searchOf,
  TaskCountsDto,
  TaskDetailDto,
  TaskDto,
  TaskFilterDto,
  TaskQueryDto,
} from './task.dto.js';
import { TaskReaders } from './task-readers.js';

/** The newest events of a task that its details show. */
const SHOWN_EVENTS = 100;
/** Of large ones it shows fewer: the newest that have so many bytes together, one at least. */
const SHOWN_BYTES = 8 * 1024 * 1024;
/** Pages of lists, and counts, that are kept for others who look for the same. */
const KEPT_ANSWERS = 32;

/** Tasks for operators: their organization's, or all with scope `tasks:all`. */
@AdminController('tasks', 'api/v1', 'tasks:organization')
export class TasksController {
  private readonly pages: SharedReading<Page<TaskDto>>;
  private readonly counts: SharedReading<TaskCountsDto>;

  constructor(
    private readonly lists: TaskLists,
    private readonly log: TaskLog,
    private readonly deleter: TaskDeleter,
    private readonly readers: TaskReaders,
    private readonly reads: NotedReads,
    private readonly config: AppConfig,
    private readonly rules: RuleNames,
    private readonly clock: Clock,
  ) {
    this.pages = new SharedReading(KEPT_ANSWERS, clock);
    this.counts = new SharedReading(KEPT_ANSWERS, clock);
  }

  @Get('tasks')
  @ApiOperation({
    summary: 'List tasks with their delegations, newest status first.',
    description: `A page looks at 20000 tasks at most and has 8 MiB of routes and delegations at most: where few of them fit, it has fewer items than \`limit\`, or none, and goes on with \`nextCursor\` until that is null. ${ACCEPTED_AGE}`,
  })
  @ApiOkResponse({ type: PageType(TaskDto) })
  async list(
    @Query() query: TaskQueryDto,
    @CurrentPrincipal() principal: Principal,
    @AcceptedAge() maxAgeMs: number,
    @ReserveAnswer() reserve?: ReserveBytes,
  ): Promise<Page<TaskDto>> {
    const view = operatorsView(principal);
    // Nobody stays at a further page.
    const ageMs = query.cursor === undefined ? maxAgeMs : 0;
    return this.pages.get(JSON.stringify([view, query]), ageMs, async (keepToOne) => {
      // A large page belongs to whom its memory is reserved for.
      const noted = async (bytes: number): Promise<void> => {
        keepToOne();
        await reserve?.(bytes);
      };
      const search = this.searchOf(query);
      const page = await this.lists.search(search, view, query.limit, query.cursor, noted);
      const reader = await this.readers.of(principal, page.items);
      return { ...page, items: page.items.map((each) => new TaskDto(each, reader)) };
    });
  }

  @Get('tasks::count')
  @ApiOperation({
    summary: 'Count tasks by state.',
    description: `Looks at the 1000 newest tasks of each state at most; by rule or reason at 1000 of all states. A count with \`isLeast\` may be larger. ${ACCEPTED_AGE}`,
  })
  @ApiOkResponse({ type: TaskCountsDto })
  async count(
    @Query() query: TaskFilterDto,
    @CurrentPrincipal() principal: Principal,
    @AcceptedAge() maxAgeMs: number,
  ): Promise<TaskCountsDto> {
    const view = operatorsView(principal);
    return this.counts.get(JSON.stringify([view, query]), maxAgeMs, async () => {
      return new TaskCountsDto(await this.lists.countStates(this.searchOf(query), view));
    });
  }

  @Get('tasks/:id')
  @ApiOperation({
    summary: 'Get one task: its route, its delegations and its newest events.',
    description:
      'Of the task of another principal the read is noted in the audit log, once in ten minutes.',
  })
  @ApiOkResponse({ type: TaskDetailDto })
  async get(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @Req() { id: requestId }: FastifyRequest,
    @ReserveAnswer() reserve?: ReserveBytes,
  ): Promise<TaskDetailDto> {
    const task = await this.log.withoutContents(id, operatorsView(principal));
    if (!task) throw taskNotFound(id);
    await this.reads.note(principal, task.record, requestId);
    const events = await this.log.newestEvents(id, SHOWN_EVENTS, SHOWN_BYTES, reserve);
    const reader = await this.readers.of(principal, [task]);
    return new TaskDetailDto(task, events, reader, this.config.telemetry.traces.linkTo);
  }

  @Delete('tasks/:id')
  @HttpCode(204)
  @RequireEither('a2a', 'tasks:all')
  @ApiOperation({
    summary: 'Delete a task that has ended: one of your own, or any you may see as an operator.',
    description:
      'Its log, artifacts, webhooks and deliveries are deleted with it. 409 if it has not ended, or, without force, while a cancel to one of its agents or a webhook delivery is pending.',
  })
  @ApiNoContentResponse()
  async delete(
    @Param('id') id: string,
    @Query() { force = false }: DeleteTaskQueryDto,
    @CurrentPrincipal() principal: Principal,
  ): Promise<void> {
    const visibility = hasScope(principal, 'tasks:all') ? EVERYTHING : visibilityOf(principal);
    await this.deleter.delete(id, visibility, force);
  }

  private searchOf(query: TaskFilterDto): TaskSearch {
    const since = stuckSince(this.config.tasks, this.clock.now());
    return searchOf(query, (idOrName) => this.rules.idsOf(idOrName), since);
  }
}
