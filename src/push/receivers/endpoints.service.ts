import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';
import { invalidField } from '../../common/hub-error.js';
import { HubSettings } from '../../database/hub-settings.js';
import { requestedEndpoint, seenBy } from './push-access.js';
import {
  type EndpointFilter,
  EndpointStore,
  type EndpointView,
  type EventFilter,
} from './endpoint-store.js';
import { EventIds } from './event-ids.js';
import type { PushEvent } from './push-event.js';

/** The health of an organization's endpoints, for its members; operators (`admin`) see all. */
@Injectable()
export class EndpointsService {
  private ids: EventIds | undefined;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly settings: HubSettings,
  ) {}

  /** How events are named to callers. */
  async eventIds(): Promise<EventIds> {
    return (this.ids ??= new EventIds(await this.settings.pageTokenSecret()));
  }

  /** By name; `requested` may name one by any URL of it. */
  async list(
    requested: EndpointFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<EndpointView>> {
    const after = cursor === undefined ? null : readCursor('endpoints', cursor, isEndpoint);
    const { endpoint: url, ...others } = requested;
    const endpoint = requestedEndpoint(url, requested.organization, caller);
    const filter = { ...others, endpoint };
    const found = await this.endpoints.list(filter, seenBy(caller), limit + 1, after);
    return pageOf('endpoints', found, limit, ({ endpoint }) => endpoint);
  }

  /** Of a few endpoints, those that the caller sees and something is known of. */
  named(among: readonly string[], caller: Principal): Promise<EndpointView[]> {
    return this.endpoints.list({ among }, seenBy(caller), among.length, null);
  }

  /** Newest first. */
  async events(
    filter: EventFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<PushEvent>> {
    const ids = await this.eventIds();
    const isId = (text: string): boolean => ids.read(text) !== undefined;
    const before = cursor === undefined ? null : ids.read(readCursor('push-events', cursor, isId))!;
    const found = await this.endpoints.events(filter, seenBy(caller), limit + 1, before);
    return pageOf('push-events', found, limit, ({ id }) => ids.shown(id));
  }

  /** Oldest first, after the event with that number. */
  eventsAfter(after: number, limit: number, caller: Principal): Promise<PushEvent[]> {
    return this.endpoints.eventsAfter(after, seenBy(caller), limit);
  }

  /** The number to go on after: that of the event with this id or, without one, of the newest. */
  async eventBefore(lastEventId: string | undefined): Promise<number> {
    if (lastEventId === undefined) return this.endpoints.newestEvent();
    const number = (await this.eventIds()).read(lastEventId);
    if (number === undefined) {
      throw invalidField('Last-Event-ID', 'is not the id of an event of this feed');
    }
    return number;
  }
}

function isEndpoint(text: string): boolean {
  return text.includes(' ');
}
