import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../../auth/index.js';
import { Database } from '../../../database/database.js';
import type { SqlValue } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import {
  COUNT_LIMIT,
  type EndpointFilter,
  EndpointStore,
  type EndpointView,
  type EventFilter,
} from '../endpoint-store.js';
import type { PushEvent } from '../push-event.js';
import { type EndpointRow, toEndpoint } from './endpoint-rows.js';
import { type EventRow, toEvent } from './record-event.js';

interface ReceiverColumns {
  readonly waiting: number;
  readonly verified_at: number | null;
  readonly held_until: number | null;
  readonly held_reason: string | null;
}

interface Condition {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** {@link EndpointStore} on the hub's database. */
@Injectable()
export class SqlEndpointStore extends EndpointStore {
  constructor(private readonly database: Database) {
    super();
  }

  async list(
    filter: EndpointFilter,
    visibility: Visibility,
    limit: number,
    after: string | null,
  ): Promise<EndpointView[]> {
    const where = all(
      ofOrganization(visibility),
      equals('organization', filter.organization),
      equals('state', filter.state),
      after === null ? null : { sql: 'endpoint > ?', params: [storable(after)] },
    );
    const ofReceiver = (column: string): string =>
      `(SELECT r.${column} FROM push_receivers r WHERE r.endpoint = e.endpoint) AS ${column}`;
    const rows = await this.database.read<EndpointRow & ReceiverColumns>(
      `SELECT e.*, (SELECT COUNT(*) FROM (SELECT 1 FROM push_delivery_streams s
           WHERE s.endpoint = e.endpoint AND s.due_at IS NOT NULL LIMIT ${COUNT_LIMIT}) AS counted)
         AS waiting,
         ${ofReceiver('verified_at')}, ${ofReceiver('held_until')}, ${ofReceiver('held_reason')}
       FROM push_endpoints e WHERE ${where.sql} ORDER BY endpoint LIMIT ?`,
      [...where.params, limit],
    );
    return rows.map((row) => ({
      ...toEndpoint(row),
      waiting: Number(row.waiting),
      verifiedAt: row.verified_at === null ? null : Number(row.verified_at),
      heldUntil: row.held_until === null ? null : Number(row.held_until),
      heldReason: row.held_reason,
    }));
  }

  async events(
    filter: EventFilter,
    visibility: Visibility,
    limit: number,
    before: number | null,
  ): Promise<PushEvent[]> {
    const where = all(
      visibleEvents(visibility),
      equals('organization', filter.organization),
      equals('type', filter.type),
      before === null ? null : { sql: 'id < ?', params: [before] },
    );
    const rows = await this.database.read<EventRow>(
      `SELECT * FROM push_events WHERE ${where.sql} ORDER BY id DESC LIMIT ?`,
      [...where.params, limit],
    );
    return rows.map(toEvent);
  }

  async eventsAfter(after: number, visibility: Visibility, limit: number): Promise<PushEvent[]> {
    const where = visibleEvents(visibility);
    const rows = await this.database.read<EventRow>(
      `SELECT * FROM push_events WHERE id > ? AND ${where.sql} ORDER BY id LIMIT ?`,
      [after, ...where.params, limit],
    );
    return rows.map(toEvent);
  }

  async newestEvent(): Promise<number> {
    const [row] = await this.database.read<{ last: number }>(
      'SELECT last FROM push_event_counter WHERE id = 1',
    );
    return Number(row?.last ?? 0);
  }

  prune(before: Date, limit: number): Promise<number> {
    const params = [before.getTime(), limit];
    return this.database.write(function* (tx) {
      const events = yield* tx.run(
        `DELETE FROM push_events WHERE id IN
           (SELECT id FROM push_events WHERE at < ? ORDER BY id LIMIT ?)`,
        params,
      );
      // Without a row an endpoint counts as new: nothing is lost with a healthy one.
      const endpoints = yield* tx.run(
        `DELETE FROM push_endpoints WHERE endpoint IN (SELECT endpoint FROM push_endpoints
           WHERE updated_at < ? AND ready_at IS NULL AND disable_cursor IS NULL LIMIT ?)`,
        params,
      );
      yield* tx.run(
        `DELETE FROM push_receivers WHERE endpoint IN (SELECT endpoint FROM push_receivers r
           WHERE r.updated_at < ? AND NOT EXISTS
             (SELECT 1 FROM push_endpoints e WHERE e.endpoint = r.endpoint) LIMIT ?)`,
        params,
      );
      for (const [table, time] of [
        ['push_senders', 'updated_at'],
        ['push_reaches', 'at'],
      ] as const) {
        yield* tx.run(
          `DELETE FROM ${table} WHERE principal_id IN
             (SELECT principal_id FROM ${table} WHERE ${time} < ? LIMIT ?) AND ${time} < ?`,
          [...params, before.getTime()],
        );
      }
      return events + endpoints;
    });
  }
}

function ofOrganization(visibility: Visibility): Condition | null {
  if (visibility.kind === 'everything') return null;
  return { sql: 'organization = ?', params: [visibility.organization] };
}

/** An endpoint's events are its organization's; those of one webhook its owner's. */
function visibleEvents(visibility: Visibility): Condition {
  switch (visibility.kind) {
    case 'everything':
      return { sql: '1 = 1', params: [] };
    case 'organization':
      return { sql: 'organization = ?', params: [visibility.organization] };
    case 'principal':
      return {
        sql: 'organization = ? AND (principal_id IS NULL OR principal_id = ?)',
        params: [visibility.organization, visibility.principalId],
      };
  }
}

function equals(column: string, value: string | undefined): Condition | null {
  return value === undefined ? null : { sql: `${column} = ?`, params: [storable(value)] };
}

function all(...conditions: readonly (Condition | null)[]): Condition {
  const given = conditions.filter((each) => each !== null);
  return {
    sql: given.length === 0 ? '1 = 1' : given.map(({ sql }) => sql).join(' AND '),
    params: given.flatMap(({ params }) => params),
  };
}
