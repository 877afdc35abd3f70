import { Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiProduces } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal, CredentialWatch, type Principal } from '../../auth/index.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import { Draining } from '../../common/draining.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { EventFeed, FEED_HEADERS } from '../../common/http/event-feed.js';
import { isHead } from '../../common/http/is-head.js';
import { PageType } from '../../common/http/page-type.js';
import type { HubError } from '../../common/hub-error.js';
import type { Page } from '../../common/page.js';
import { AppConfig } from '../../config/index.js';
import { administers, organizationOfAgents } from '../registry/administered.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { type AgentChange, type AgentEvent, AgentEvents } from './agent-events.js';
import { AgentChangeDto, AgentEventDto, AgentEventQueryDto } from './agent-health.dto.js';
import { AgentMonitor } from './agent-monitor.js';

/** Tells operators how agents stand, as it changes. */
@AdminController('agents', 'api/v1/agents/events', 'agents:organization')
export class AgentEventsController {
  constructor(
    private readonly events: AgentEvents,
    private readonly monitor: AgentMonitor,
    private readonly registry: AgentRegistry,
    private readonly keys: CredentialWatch,
    private readonly draining: Draining,
    private readonly config: AppConfig,
  ) {}

  @Get('log')
  @ApiOperation({
    summary: 'List the health changes of agents this process has seen, newest first.',
    description:
      'The newest 1000 since this process started; each process has its own list. A cursor from another process, or from before a restart, is refused.',
  })
  @ApiOkResponse({ type: PageType(AgentEventDto) })
  list(
    @Query() { limit, cursor, agentId }: AgentEventQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Page<AgentEventDto> {
    const before =
      cursor === undefined
        ? undefined
        : readCursor('agent-events', cursor, (id) => this.events.isOwn(id));
    this.monitor.removeGone();
    const isShown = this.shownTo(caller);
    const isMeant = (change: AgentChange): boolean =>
      (agentId === undefined || change.agentId === agentId) && isShown(change);
    const found = this.events.newest(limit + 1, isMeant, before);
    const page = pageOf('agent-events', found, limit, ({ id }) => id);
    return { ...page, items: page.items.map((event) => new AgentEventDto(event)) };
  }

  @Get()
  @ApiOperation({
    summary: 'Server-Sent Events: the health of all agents, then every change this process sees.',
    description:
      'First an event `snapshot` ({"agents": [{agentId, health, breaker}]}), then one `agent` per change. With Last-Event-ID only the changes after it, if this process still has them; otherwise a snapshot again.',
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'The stream.', type: AgentChangeDto })
  follow(
    @Res() reply: FastifyReply,
    @CurrentPrincipal() principal: Principal,
    @Headers('last-event-id') lastEventId: string | undefined,
  ): void {
    if (isHead(reply)) return void reply.headers(FEED_HEADERS).send();
    reply.hijack();
    const { heartbeatMs, streamBufferBytes: bufferBytes } = this.config.tasks;
    const feed = new EventFeed(reply.raw, { heartbeatMs, bufferBytes });
    const isShown = this.shownTo(principal);
    const send = ({ id, change }: AgentEvent): void => {
      if (isShown(change)) {
        feed.send({ id, event: 'agent', data: new AgentChangeDto(change) });
      }
    };
    // Changes not published yet are published to the other streams now, so that none follows this snapshot.
    this.monitor.removeGone();
    const ending = new AbortController();
    const end = (): void => feed.end();
    // Only the watch on its key ends it.
    const fail = (): void => feed.fail(ending.signal.reason as HubError);
    ending.signal.addEventListener('abort', fail);
    this.draining.signal.addEventListener('abort', end);
    feed.open();
    const leave = [
      this.events.subscribe(send),
      () => this.draining.signal.removeEventListener('abort', end),
      this.keys.watch(principal, ending),
    ];
    feed.onceClosed(() => {
      for (const each of leave) each();
    });
    const missed = lastEventId === undefined ? undefined : this.events.after(lastEventId);
    if (missed) for (const event of missed) send(event);
    else feed.send({ id: this.events.newestId, event: 'snapshot', data: this.snapshot(principal) });
    if (this.draining.signal.aborted) end();
  }

  /**
   * Asked at each event: an agent may be opened for others, or no longer. One that is gone may have been anyone's, also when
   * another has its id now.
   */
  private shownTo(caller: Principal): (change: AgentChange) => boolean {
    return ({ agentId, at }) => {
      const agent = this.registry.known(agentId);
      return agent === undefined || at < agent.createdAt
        ? organizationOfAgents(caller) === null
        : administers(caller, agent);
    };
  }

  private snapshot(caller: Principal): object {
    const shown = this.registry.all().filter((agent) => administers(caller, agent));
    const agents = shown.map(({ id: agentId }) => {
      const { health, breaker } = this.monitor.viewOf(agentId);
      return { agentId, health, breaker };
    });
    return { agents };
  }
}
