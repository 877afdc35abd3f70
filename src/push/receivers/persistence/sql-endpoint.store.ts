import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../../auth/index.js';
import { allOf, type Condition } from '../../../database/conditions.js';
import { Database } from '../../../database/database.js';
import { listOf } from '../../../database/multi-row.js';
import { forUpdate } from '../../../database/rows.js';
import { type DatabaseRow, Table } from '../../../database/table.js';
import { storable } from '../../../database/text.js';
import {
  type EndpointFilter,
  EndpointStore,
  type EndpointView,
  type EventFilter,
} from '../endpoint-store.js';
import type { PushEvent } from '../push-event.js';
import { WaitingStreams } from '../waiting-streams.js';
import { ENDPOINT } from './endpoint-rows.js';
import { RECEIVER_STATE_IS, REJECTS_EVENTS } from './receiver-states.js';
import { PushReceiverEntity } from './receiver.entity.js';
import { EVENT } from './record-event.js';

const E = ENDPOINT.as('e');
const R = new Table(PushReceiverEntity).select('verifiedAt', 'heldUntil', 'heldReason').as('r');

/**
 * Events are numbered as they are committed, each with the time of the process that has written it: of what is
 * numbered before an event so much older than asked for, or behind one so much newer, nothing is looked at.
 */
const CLOCK_SLACK_MS = 24 * 3_600_000;

/** {@link EndpointStore} on the hub's database. */
@Injectable()
export class SqlEndpointStore extends EndpointStore {
  constructor(
    private readonly database: Database,
    private readonly streams: WaitingStreams,
  ) {
    super();
  }

  async list(
    filter: EndpointFilter,
    visibility: Visibility,
    limit: number,
    after: string | null,
  ): Promise<EndpointView[]> {
    const where = allOf([
      ofOrganization(visibility),
      equals('e.organization', filter.organization),
      filter.state === undefined ? null : { sql: RECEIVER_STATE_IS[filter.state], params: [] },
      rejecting(filter.rejects),
      equals('e.endpoint', filter.endpoint),
      among(filter.among),
      after === null ? null : { sql: 'e.endpoint > ?', params: [storable(after)] },
    ]);
    const rows = await this.database.read<DatabaseRow>(
      `SELECT ${E.names}, ${R.names} FROM push_endpoints e
       LEFT JOIN push_receivers r ON r.endpoint = e.endpoint
       WHERE ${where.sql} ORDER BY e.endpoint LIMIT ?`,
      [...where.params, limit],
    );
    const found = rows.map((row) => ({ ...E.read(row), ...R.read(row) }));
    const waiting = await this.streams.countFor(found.map(({ endpoint }) => endpoint));
    return found.map((each) => ({ ...each, waiting: waiting.get(each.endpoint) ?? 0 }));
  }

  events(
    filter: EventFilter,
    visibility: Visibility,
    limit: number,
    before: number | null,
  ): Promise<PushEvent[]> {
    const where = allOf([
      visibleEvents(visibility),
      equals('organization', filter.organization),
      equals('type', filter.type),
      since(filter.since),
      until(filter.until),
      before === null ? null : { sql: 'id < ?', params: [before] },
    ]);
    return EVENT.list(this.database, `WHERE ${where.sql} ORDER BY id DESC LIMIT ?`, [
      ...where.params,
      limit,
    ]);
  }

  eventsAfter(after: number, visibility: Visibility, limit: number): Promise<PushEvent[]> {
    const where = visibleEvents(visibility);
    return EVENT.list(this.database, `WHERE id > ? AND ${where.sql} ORDER BY id LIMIT ?`, [
      after,
      ...where.params,
      limit,
    ]);
  }

  async newestEvent(): Promise<number> {
    const [row] = await this.database.read<{ last: number }>(
      'SELECT last FROM push_event_counter WHERE id = 1',
    );
    return row?.last ?? 0;
  }

  prune(before: Date, limit: number): Promise<number> {
    const params = [before.getTime(), limit];
    return this.database.write(function* (tx) {
      const events = yield* tx.run(
        `DELETE FROM push_events WHERE id IN
           (SELECT id FROM push_events WHERE at < ? ORDER BY id LIMIT ?)`,
        params,
      );
      // Without a row an endpoint counts as new: nothing is lost with a healthy one. One that gets a queue at this moment is locked
      // by whoever gives it that, or is not idle any more.
      const endpoints = yield* tx.run(
        `DELETE FROM push_endpoints WHERE endpoint IN (SELECT endpoint FROM push_endpoints
           WHERE ${IS_IDLE} LIMIT ?${forUpdate(tx, true)}) AND ${IS_IDLE}`,
        [...params, before.getTime()],
      );
      yield* tx.run(
        `DELETE FROM push_receivers WHERE endpoint IN (SELECT r.endpoint FROM push_receivers r
           WHERE r.updated_at < ? AND NOT EXISTS
             (SELECT 1 FROM push_endpoints e WHERE e.endpoint = r.endpoint)
           LIMIT ?${forUpdate(tx, true, 'r')}) AND updated_at < ?`,
        [...params, before.getTime()],
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

/** An endpoint that nothing waits for, and nothing has happened at since. */
const IS_IDLE = 'updated_at < ? AND ready_at IS NULL AND disable_cursor IS NULL';

function ofOrganization(visibility: Visibility): Condition | null {
  if (visibility.kind === 'everything') return null;
  return { sql: 'e.organization = ?', params: [visibility.organization] };
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

/** The index of the times finds where to begin; the numbers lead from there. */
function since(at: Date | undefined): Condition | null {
  if (at === undefined) return null;
  const from = at.getTime();
  return {
    sql: `+at >= ? AND id > COALESCE(
      (SELECT id FROM push_events WHERE at < ? ORDER BY at DESC LIMIT 1), 0)`,
    params: [from, from - CLOCK_SLACK_MS],
  };
}

function until(at: Date | undefined): Condition | null {
  if (at === undefined) return null;
  const to = at.getTime();
  return {
    sql: `+at < ? AND id < COALESCE(
      (SELECT id FROM push_events WHERE at >= ? ORDER BY at LIMIT 1), ?)`,
    params: [to, to + CLOCK_SLACK_MS, Number.MAX_SAFE_INTEGER],
  };
}

function rejecting(isSo: boolean | undefined): Condition | null {
  if (isSo === undefined) return null;
  return { sql: isSo ? REJECTS_EVENTS : `NOT ${REJECTS_EVENTS}`, params: [] };
}

function equals(column: string, value: string | undefined): Condition | null {
  return value === undefined ? null : { sql: `${column} = ?`, params: [storable(value)] };
}

function among(endpoints: readonly string[] | undefined): Condition | null {
  if (endpoints === undefined) return null;
  if (endpoints.length === 0) return { sql: '1 = 0', params: [] };
  return { sql: `e.endpoint IN ${listOf(endpoints.length)}`, params: endpoints.map(storable) };
}
