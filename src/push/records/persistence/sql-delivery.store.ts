import { Injectable } from '@nestjs/common';
import { type Visibility, visibleRows } from '../../../auth/index.js';
import { HubError } from '../../../common/hub-error.js';
import { forUpdate } from '../../../database/rows.js';
import { type Condition, condition, paramsOf, where } from '../../../database/conditions.js';
import { Database } from '../../../database/database.js';
import { firstOf, inOrderOfIds } from '../../../database/in-order-of-ids.js';
import type { Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { Delivery, DeliveryAttempt, DeliveryState } from '../../delivery/delivery.js';
import {
  type BoundedCount,
  type BulkOutcome,
  type DeliveryBacklog,
  type DeliveryFilter,
  DeliveryStore,
  type LostEvents,
} from '../delivery-store.js';
import { deleteDeliveries } from '../../delivery/persistence/delete-deliveries.js';
import { probeAtOnce } from '../../receivers/persistence/endpoint-rows.js';
import { addOpen, CAN_BE_SENT, reopenDead } from './dead-letters.js';
import { LOST, LOST_OF_ALL } from '../../delivery/persistence/lost-letters.js';
import { conditionsOf, inOrder, isNarrow, type RowFilter } from './delivery-filter.js';
import { lostByReceiver, type LostRow, sumOf } from './lost-by-receiver.js';
import { ATTEMPT, DELIVERY } from '../../delivery/persistence/delivery-rows.js';

const MAX_ATTEMPTS = 1000;
/** Dead letters handled in one transaction, so that no transaction waits long for another. */
const AT_ONCE = 100;

/** Dead letters of an organization that are looked at for those of one principal. */
const MOST_LOOKED_AT = 10_000;

interface BulkStep {
  /** Only those that can be sent again. */
  readonly canBeSent?: boolean;
  readonly change: (tx: Tx, these: Condition) => Work<number>;
}

/** {@link DeliveryStore} on the hub's database. */
@Injectable()
export class SqlDeliveryStore extends DeliveryStore {
  constructor(private readonly database: Database) {
    super();
  }

  list(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Delivery[]> {
    const newest = inOrder('DESC', filter, visibility, this.database.dialect, cursor);
    return firstOf(this.database, newest, limit, (conditions, most) =>
      DELIVERY.list(this.database, `${where(conditions)} ORDER BY id DESC LIMIT ?`, [
        ...paramsOf(conditions),
        most,
      ]),
    );
  }

  async backlog(organization: string | null, most: number): Promise<DeliveryBacklog> {
    const isOf = organization === null ? '' : 'organization = ? AND ';
    const whose = organization === null ? [] : [storable(organization)];
    // Said in full as well, so that the index of what is not delivered serves.
    const open = (state: DeliveryState): string =>
      `${isOf}state = '${state}' AND state <> 'delivered'`;
    const counted = (state: DeliveryState, which = open(state)): string =>
      `(SELECT COUNT(*) FROM (SELECT 1 FROM push_deliveries WHERE ${which} LIMIT ?) AS ${state}_ones) AS ${state}`;
    // In the order of the index of what is lost, so that no other serves.
    const lost = `${isOf}${organization === null ? LOST_OF_ALL : LOST} ORDER BY updated_at DESC`;
    const oldest = (state: DeliveryState): string =>
      `(SELECT created_at FROM push_deliveries WHERE ${open(state)} ORDER BY id LIMIT 1) AS oldest_${state}`;
    const [row] = await this.database.read<Record<string, number | null>>(
      `SELECT ${counted('pending')}, ${counted('retrying')}, ${counted('dead', lost)},
         ${oldest('pending')}, ${oldest('retrying')}`,
      [...[whose, whose, whose].flatMap((each) => [...each, most]), ...whose, ...whose],
    );
    const times = [row?.['oldest_pending'], row?.['oldest_retrying']].filter((at) => at != null);
    return {
      pending: Number(row?.['pending'] ?? 0),
      retrying: Number(row?.['retrying'] ?? 0),
      deadLetters: Number(row?.['dead'] ?? 0),
      oldestAt: times.length === 0 ? null : new Date(Math.min(...times)),
    };
  }

  async countDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    most: number,
  ): Promise<BoundedCount> {
    const isMine = seenRows(visibility);
    const bound = lookedAt(visibility, most);
    let [looked, fit] = [0, 0];
    const counts = this.newestDead(
      deadIn(filter),
      visibility,
      () => bound - looked,
      ({ sql, params }) =>
        this.database.read<{ looked_at: number; fit: number | null }>(
          `SELECT COUNT(*) AS looked_at, SUM(CASE WHEN ${isMine.sql} THEN 1 ELSE 0 END) AS fit FROM ${sql}`,
          [...isMine.params, ...params],
        ),
    );
    for await (const [row] of counts) {
      looked += Number(row?.looked_at ?? 0);
      fit += Number(row?.fit ?? 0);
      if (looked >= bound) break;
    }
    const isLeast = fit > most || (isOwn(visibility) && looked >= bound);
    return { count: Math.min(fit, most), isLeast };
  }

  async lost(filter: DeliveryFilter, visibility: Visibility, most: number): Promise<LostEvents> {
    const { since: givenUpSince, until: givenUpUntil, ...others } = filter;
    const letters = { ...deadIn(others), lost: true, givenUpSince, givenUpUntil } as const;
    const isOfReceivers = filter.taskId === undefined && filter.configId === undefined;
    const scope = isOfReceivers ? receiversSeenBy(visibility) : visibility;
    const [isMine, isSeen] = [seenRows(scope), seenRows(visibility)];
    const bound = lookedAt(scope, most);
    const fits = (then: string): string => `CASE WHEN ${isMine.sql} THEN ${then} END`;
    const found: LostRow[] = [];
    let looked = 0;
    const pieces = this.newestDead(
      letters,
      scope,
      () => bound - looked,
      ({ sql, params }) =>
        this.database.read<LostRow>(
          `SELECT endpoint, reason, COUNT(*) AS looked_at, COUNT(${fits('1')}) AS fit,
             COUNT(CASE WHEN ${isSeen.sql} THEN 1 END) AS own,
             MIN(${fits('updated_at')}) AS first_at, MAX(${fits('updated_at')}) AS last_at
           FROM ${sql} GROUP BY endpoint, reason`,
          [...isMine.params, ...isSeen.params, ...isMine.params, ...isMine.params, ...params],
        ),
    );
    for await (const rows of pieces) {
      looked = rows.reduce((sum, { looked_at }) => sum + Number(looked_at), looked);
      for (const row of rows) if (Number(row.fit) > 0) found.push(row);
      if (looked >= bound) break;
    }
    const isLeast = sumOf(found) > most || (isOwn(scope) && looked >= bound);
    return { receivers: lostByReceiver(found), total: Math.min(sumOf(found), most), isLeast };
  }

  /**
   * The newest dead letters that fit and are of receivers that are seen, piece by piece: what `read` gives of each, a table to
   * follow `FROM`. `left`: how many are still looked at.
   */
  private async *newestDead<T>(
    filter: RowFilter,
    visibility: Visibility,
    left: () => number,
    read: (dead: Condition) => Promise<T>,
  ): AsyncGenerator<T> {
    const { database } = this;
    // The index of a principal has all it was ever sent, that of what is not delivered has few.
    const scope = receiversSeenBy(visibility);
    const newest = (conditions: readonly Condition[], by: string): Condition => ({
      sql: `(SELECT endpoint, principal_id, reason, updated_at FROM push_deliveries${where(conditions)}
        ORDER BY ${by} DESC LIMIT ?) AS dead`,
      params: [...paramsOf(conditions), left()],
    });
    // As the index has them that serves: those of one receiver, webhook or task are by the time they were made.
    if (filter.lost && !isNarrow(filter)) {
      const fits = conditionsOf(filter, scope, database.dialect);
      yield await read(newest([fits], 'updated_at'));
      return;
    }
    const course = inOrder('DESC', filter, scope, database.dialect, null);
    yield* inOrderOfIds(database, course, (conditions) => read(newest(conditions, 'id')));
  }

  async get(id: string, visibility: Visibility): Promise<Delivery | undefined> {
    const scope = visibleRows(visibility);
    const params = [storable(id), ...scope.params];
    return (await DELIVERY.list(this.database, `WHERE id = ? AND ${scope.sql}`, params))[0];
  }

  attempts(deliveryId: string, limit = MAX_ATTEMPTS, afterNumber = 0): Promise<DeliveryAttempt[]> {
    const which = 'WHERE delivery_id = ? AND number > ? ORDER BY number LIMIT ?';
    return ATTEMPT.list(this.database, which, [deliveryId, afterNumber, limit]);
  }

  redeliver(given: string, visibility: Visibility, now: Date): Promise<Delivery | undefined> {
    const id = storable(given);
    const scope = visibleRows(visibility);
    const at = now.getTime();
    return this.database.write(function* (tx): Work<Delivery | undefined> {
      const [found] = yield* tx.all<{ stream_id: string; kind: string }>(
        `SELECT stream_id, kind FROM push_deliveries WHERE id = ? AND ${scope.sql}`,
        [id, ...scope.params],
      );
      if (!found) return undefined;
      if (found.kind === 'test') {
        throw new HubError('CONFLICT', 'A test cannot be redelivered; send a new one.');
      }
      const stream = yield* lockStream(tx, found.stream_id);
      const reopened = yield* tx.run(
        `UPDATE push_deliveries SET state = 'pending', tries = 0, rejections = 0, redelivered = 1,
           reason = NULL, next_attempt_at = NULL, updated_at = ? WHERE id = ? AND state IN ('delivered', 'dead')`,
        [at, id],
      );
      if (reopened === 0) {
        yield* tx.run(
          'UPDATE push_deliveries SET next_attempt_at = NULL, updated_at = ? WHERE id = ?',
          [at, id],
        );
      }
      yield* addOpen(tx, found.stream_id, reopened, at);
      if (stream.active === 1) yield* probeAtOnce(tx, [stream.endpoint], at);
      return (yield* DELIVERY.all(tx, 'WHERE id = ?', [id]))[0];
    });
  }

  redeliverDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    now: Date,
    after: string | null = null,
  ): Promise<BulkOutcome> {
    const step = {
      canBeSent: true,
      change: (tx: Tx, these: Condition) => reopenDead(tx, these, now),
    };
    return this.inSteps(filter, visibility, limit, after, step);
  }

  purgeDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    after: string | null = null,
  ): Promise<BulkOutcome> {
    return this.inSteps(filter, visibility, limit, after, { change: deleteDeliveries });
  }

  /** Looks for the oldest `limit` dead letters behind `after`, and changes those that still fit then, few in a transaction. */
  private async inSteps(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    after: string | null,
    { canBeSent = false, change }: BulkStep,
  ): Promise<BulkOutcome> {
    const { database } = this;
    const letters = deadIn(filter);
    const oldest = inOrder('ASC', letters, visibility, database.dialect, after);
    const rest = canBeSent ? [...oldest.rest, condition(CAN_BE_SENT)] : oldest.rest;
    const found = await firstOf(database, { ...oldest, rest }, limit, (conditions, most) =>
      database.read<{ id: string }>(
        `SELECT id FROM push_deliveries${where(conditions)} ORDER BY id LIMIT ?`,
        [...paramsOf(conditions), most],
      ),
    );
    let count = 0;
    for (let from = 0; from < found.length; from += AT_ONCE) {
      const ids = found.slice(from, from + AT_ONCE).map(({ id }) => id);
      const these = conditionsOf({ ...letters, ids }, visibility, database.dialect);
      count += await database.write((tx) => change(tx, these));
    }
    return { count, last: found.length < limit ? null : (found.at(-1)?.id ?? null) };
  }
}

/** Receivers are their organization's. */
function receiversSeenBy(visibility: Visibility): Visibility {
  return visibility.kind === 'principal'
    ? { kind: 'organization', organization: visibility.organization }
    : visibility;
}

/** Which rows of the receivers that are seen are seen themselves. */
function seenRows(visibility: Visibility): Condition {
  return visibility.kind === 'principal'
    ? { sql: 'principal_id = ?', params: [storable(visibility.principalId)] }
    : { sql: '1 = 1', params: [] };
}

function deadIn(filter: DeliveryFilter): DeliveryFilter {
  return { ...filter, state: 'dead', tests: false };
}

function isOwn(visibility: Visibility): boolean {
  return visibility.kind === 'principal';
}

/** How many dead letters are looked at: one more than `most`, or for whoever sees only its own those of its organization. */
function lookedAt(visibility: Visibility, most: number): number {
  return isOwn(visibility) ? MOST_LOOKED_AT : most + 1;
}

function* lockStream(tx: Tx, streamId: string): Work<HeldStream> {
  const [stream] = yield* tx.all<HeldStream>(
    `SELECT active, endpoint FROM push_delivery_streams WHERE id = ?${forUpdate(tx)}`,
    [streamId],
  );
  if (!stream) throw new HubError('CONFLICT', 'The webhook of this delivery was deleted.');
  if (stream.active === 0) {
    throw new HubError(
      'CONFLICT',
      'The webhook of this delivery is disabled; resume it or set it again first.',
    );
  }
  return stream;
}

interface HeldStream {
  readonly active: number;
  readonly endpoint: string;
}
