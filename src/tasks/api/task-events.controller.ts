import { Get, Headers, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  CredentialWatch,
  CurrentPrincipal,
  OpenCall,
  type Principal,
  ReserveAnswer,
} from '../../auth/index.js';
import { Draining } from '../../common/draining.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { EventFeed, FEED_HEADERS } from '../../common/http/event-feed.js';
import { isHead } from '../../common/http/is-head.js';
import { HubError, hubErrorOf, invalidField } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import { LONG } from '../../common/long-work.js';
import { AppConfig } from '../../config/index.js';
import { taskNotFound } from '../domain/task-errors.js';
import { TaskLog } from '../log/task-log.js';
import { textOf } from '../log/text-of-events.js';
import { operatorsView } from '../reading/operators-view.js';
import type { FoundTask, ReserveBytes } from '../store/task-store.js';
import { NotedReads } from './noted-reads.js';
import { TaskDto, TaskEventDto } from './task.dto.js';
import { TaskReaders } from './task-readers.js';
import { TaskEventsDto, TaskEventsQueryDto } from './task-events.dto.js';
import { TaskFollower } from './task-follower.js';

const EVENT_STREAM = 'text/event-stream';

/** What happens to one task, for operators: in pages, or as it happens. */
@AdminController('tasks', 'api/v1/tasks', 'tasks:organization')
export class TaskEventsController {
  constructor(
    private readonly log: TaskLog,
    private readonly follower: TaskFollower,
    private readonly credentials: CredentialWatch,
    private readonly draining: Draining,
    private readonly readers: TaskReaders,
    private readonly reads: NotedReads,
    private readonly config: AppConfig,
    @Inject(Log) private readonly output: Pick<Log, 'warn'>,
  ) {}

  @Get(':id/events')
  @ApiOperation({
    summary: 'List the events of a task or, with Accept: text/event-stream, follow them.',
    description:
      'As Server-Sent Events: `task`, the task with its delegations as GET lists it, at first and after every change of them; `event` for each entry of the log after `after` or Last-Event-ID, as it is stored, whichever process works on the task; `end` when the task has ended. An open stream counts as an open call (server.maxOpenCalls). Of the task of another principal the read is noted in the audit log, once in ten minutes.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false })
  @ApiProduces('application/json', EVENT_STREAM)
  @ApiOkResponse({ type: TaskEventsDto })
  async events(
    @Param('id') id: string,
    @Query() { after, limit }: TaskEventsQueryDto,
    @CurrentPrincipal() caller: Principal,
    @Req() { id: requestId }: FastifyRequest,
    @Res() reply: FastifyReply,
    @Headers('accept') accept: string | undefined,
    @Headers('last-event-id') lastEventId: string | undefined,
    @ReserveAnswer() reserve?: ReserveBytes,
    @OpenCall() open?: () => () => void,
  ): Promise<void> {
    const record = await this.log.record(id, operatorsView(caller));
    if (record === undefined) throw taskNotFound(id);
    await this.reads.note(caller, record, requestId);
    if (accept?.includes(EVENT_STREAM) !== true) {
      return void reply.send(await this.page(id, after, limit, reserve));
    }
    const begin = lastEventId === undefined ? after : numberOf(lastEventId);
    if (isHead(reply)) return void reply.headers(FEED_HEADERS).send();
    const closed = open?.();
    reply.hijack();
    await this.stream(id, begin, caller, reply, closed);
  }

  private async page(
    id: string,
    after: number,
    limit: number,
    reserve: ReserveBytes | undefined,
  ): Promise<TaskEventsDto> {
    const page = await this.log.events(id, after, limit + 1, LONG);
    const bytes = textOf(page);
    if (bytes > LONG) await reserve?.(bytes);
    const items = page.slice(0, limit).map((each) => new TaskEventDto(each));
    const next = items.at(-1)?.seq ?? after;
    return new TaskEventsDto(items, next, page.length > limit || bytes >= LONG);
  }

  private async stream(
    id: string,
    after: number,
    caller: Principal,
    reply: FastifyReply,
    closed: (() => void) | undefined,
  ): Promise<void> {
    const { heartbeatMs } = this.config.tasks;
    // Of what is not taken there is one event at most, whatever its size.
    const feed = new EventFeed(reply.raw, { heartbeatMs, bufferBytes: Infinity });
    const ending = new AbortController();
    const end = (): void => ending.abort();
    this.draining.signal.addEventListener('abort', end);
    feed.open();
    const unwatch = this.credentials.watch(caller, ending);
    feed.onceClosed(() => {
      closed?.();
      unwatch();
      this.draining.signal.removeEventListener('abort', end);
      end();
    });
    if (this.draining.signal.aborted) end();
    try {
      await this.follower.follow(
        id,
        after,
        feed,
        (task) => this.shown(task, caller),
        ending.signal,
      );
      const { reason } = ending.signal as { readonly reason: unknown };
      if (reason instanceof HubError) feed.fail(reason);
      else feed.end();
    } catch (error) {
      if (!(error instanceof HubError)) {
        this.output.warn({ err: error, taskId: id }, 'a stream of the events of a task failed');
      }
      feed.fail(hubErrorOf(error));
    }
  }

  private async shown(task: FoundTask, caller: Principal): Promise<TaskDto> {
    return new TaskDto(task, await this.readers.of(caller, [task]));
  }
}

function numberOf(lastEventId: string): number {
  if (/^\d{1,10}$/.test(lastEventId)) return Number(lastEventId);
  throw invalidField('Last-Event-ID', 'must be the number of an event of this task');
}
