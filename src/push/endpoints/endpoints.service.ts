import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { pageOf, readCursor } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';
import { seenBy } from '../configs/push-access.js';
import {
  type EndpointFilter,
  EndpointStore,
  type EndpointView,
  type EventFilter,
} from './endpoint-store.js';
import type { PushEvent } from './push-event.js';

/** How the receivers of an organization stand, for its members; operators (`admin`) see all. */
@Injectable()
export class EndpointsService {
  constructor(private readonly endpoints: EndpointStore) {}

  /** By name. */
  async list(
    filter: EndpointFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<EndpointView>> {
    const after = cursor === undefined ? null : readCursor('endpoints', cursor, isEndpoint);
    const found = await this.endpoints.list(filter, seenBy(caller), limit + 1, after);
    return pageOf('endpoints', found, limit, ({ endpoint }) => endpoint);
  }

  /** Newest first. */
  async events(
    filter: EventFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<PushEvent>> {
    const before =
      cursor === undefined ? null : Number(readCursor('push-events', cursor, isNumber));
    const found = await this.endpoints.events(filter, seenBy(caller), limit + 1, before);
    return pageOf('push-events', found, limit, ({ id }) => String(id));
  }

  /** Oldest first, after the event with that number. */
  eventsAfter(after: number, limit: number, caller: Principal): Promise<PushEvent[]> {
    return this.endpoints.eventsAfter(after, seenBy(caller), limit);
  }

  newestEvent(): Promise<number> {
    return this.endpoints.newestEvent();
  }
}

function isEndpoint(text: string): boolean {
  return text.includes(' ');
}

function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}
