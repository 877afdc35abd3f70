import { Injectable } from '@nestjs/common';
import {
  EVERYTHING,
  hasScope,
  type Principal,
  type Visibility,
  visibilityOf,
} from '../../auth/index.js';
import { issueCursor, readCursor } from '../../common/cursor.js';
import type { Page } from '../../common/page.js';
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
    const after = cursor === undefined ? null : readCursor(cursor, (text) => text.includes(' '));
    const found = await this.endpoints.list(filter, sees(caller), limit + 1, after);
    return pageOf(found, limit, ({ endpoint }) => endpoint);
  }

  /** Newest first. */
  async events(
    filter: EventFilter,
    limit: number,
    cursor: string | undefined,
    caller: Principal,
  ): Promise<Page<PushEvent>> {
    const before = cursor === undefined ? null : Number(readCursor(cursor, isNumber));
    const found = await this.endpoints.events(filter, sees(caller), limit + 1, before);
    return pageOf(found, limit, ({ id }) => String(id));
  }

  /** Oldest first, after the event with that number. */
  eventsAfter(after: number, limit: number, caller: Principal): Promise<PushEvent[]> {
    return this.endpoints.eventsAfter(after, sees(caller), limit);
  }

  newestEvent(): Promise<number> {
    return this.endpoints.newestEvent();
  }
}

function pageOf<T>(found: readonly T[], limit: number, idOf: (item: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last ? issueCursor(idOf(last)) : null };
}

function isNumber(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

function sees(caller: Principal): Visibility {
  return hasScope(caller, 'admin') ? EVERYTHING : visibilityOf(caller);
}
