import { Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal, CredentialWatch, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { Draining } from '../../common/draining.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { EventFeed, FEED_HEADERS } from '../../common/http/event-feed.js';
import { timeOf } from '../../common/http/field-kinds.js';
import { isHead } from '../../common/http/is-head.js';
import { PageType } from '../../common/http/page-type.js';
import { HubError } from '../../common/hub-error.js';
import { Log } from '../../common/logger.js';
import type { Page } from '../../common/page.js';
import { AppConfig } from '../../config/index.js';
import { PushEventDto, PushEventQueryDto } from './endpoint.dto.js';
import { EndpointsService } from './endpoints.service.js';
import { EventAnnouncer } from './event-announcer.js';
import { followEvents } from './push-event-follower.js';

/** The events of endpoints that fail, recover, or are disabled, for operators. */
@AdminController('push', 'api/v1/push', 'push')
export class PushEventsController {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly news: EventAnnouncer,
    private readonly keys: CredentialWatch,
    private readonly draining: Draining,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly log: Log,
  ) {}

  @Get('event-log')
  @ApiOperation({ summary: 'List the events of endpoints and webhooks, newest first.' })
  @ApiOkResponse({ type: PageType(PushEventDto) })
  async list(
    @Query() query: PushEventQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<Page<PushEventDto>> {
    const { limit, cursor, since, until, ...others } = query;
    const filter = { ...others, since: timeOf(since), until: timeOf(until) };
    const page = await this.endpoints.events(filter, limit, cursor, caller);
    const ids = await this.endpoints.eventIds();
    return { ...page, items: page.items.map((each) => new PushEventDto(each, ids)) };
  }

  @Get('events')
  @ApiOperation({
    summary:
      'Stream events (Server-Sent Events) of endpoints and webhooks that fail, recover or are disabled.',
    description:
      'Begins with new events or, with Last-Event-ID, after that event. Events are durable: a client that reconnects misses none that is still kept.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'The stream.', type: PushEventDto })
  async follow(
    @Res() reply: FastifyReply,
    @CurrentPrincipal() caller: Principal,
    @Headers('last-event-id') lastEventId: string | undefined,
  ): Promise<void> {
    const after = await this.endpoints.eventBefore(lastEventId);
    const ids = await this.endpoints.eventIds();
    if (isHead(reply)) return void reply.headers(FEED_HEADERS).send();
    reply.hijack();
    const { heartbeatMs, streamBufferBytes: bufferBytes } = this.config.tasks;
    const feed = new EventFeed(reply.raw, { heartbeatMs, bufferBytes });
    const ending = new AbortController();
    const end = (): void => ending.abort();
    this.draining.signal.addEventListener('abort', end);
    ending.signal.addEventListener('abort', () => {
      const { reason } = ending.signal as { readonly reason: unknown };
      if (reason instanceof HubError) feed.fail(reason);
      else feed.end();
    });
    feed.open();
    const unwatch = this.keys.watch(caller, ending);
    feed.onceClosed(() => {
      unwatch();
      this.draining.signal.removeEventListener('abort', end);
      end();
    });
    if (this.draining.signal.aborted) end();
    const source = {
      after: (id: number, limit: number) => this.endpoints.eventsAfter(id, limit, caller),
      onNews: (listener: () => void) => this.news.onNews(listener),
    };
    const send = (dto: PushEventDto): void => feed.send({ id: dto.id, event: dto.type, data: dto });
    await followEvents(
      source,
      after,
      (event) => send(new PushEventDto(event, ids)),
      this.clock,
      ending.signal,
    ).catch((error: unknown) =>
      this.log.warn({ err: error }, 'a stream of push events ended with an error'),
    );
    end();
  }
}
