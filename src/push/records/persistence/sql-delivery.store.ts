import { Injectable } from '@nestjs/common';
import { type Visibility, visibleRows } from '../../../auth/index.js';
import { HubError } from '../../../common/hub-error.js';
import { forUpdate } from '../../../database/rows.js';
import { type Condition, paramsOf, where } from '../../../database/conditions.js';
import { Database } from '../../../database/database.js';
import { newestFirst } from '../../../database/newest-first.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
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
import { type DeadPiece, deleteDead } from '../../delivery/persistence/delete-deliveries.js';
import { addOpen, reopenDead } from './dead-letters.js';
import { LOST, LOST_OF_ALL } from '../../delivery/persistence/lost-letters.js';
import { conditionsOf, isNarrow, type RowFilter, walkOf } from './delivery-filter.js';
import { lostByReceiver, type LostRow, sumOf } from './lost-by-receiver.js';
import { ATTEMPT, DELIVERY } from '../../delivery/persistence/delivery-rows.js';

const MAX_ATTEMPTS = 1000;
/** Dead letters handled in one transaction, so that no transaction waits long for another. */
const AT_ONCE = 100;

/** Dead letters of an organization that are looked at for those of one principal. */
const MOST_LOOKED_AT = 10_000;

interface NewestDead {
  /** What stands after `FROM`. */
  readonly sql: string;
  readonly params: readonly SqlValue[];
  readonly isOwn: boolean;
  /** Which of the rows count. */
  readonly isMine: Condition;
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
    const walk = walkOf(filter, visibility, this.database.dialect, cursor);
    return newestFirst(this.database, walk, limit, (conditions, most) =>
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
    const { sql, params, isOwn, isMine } = this.newestDead(deadIn(filter), visibility, most);
    const [row] = await this.database.read<{ looked_at: number; fit: number | null }>(
      `SELECT COUNT(*) AS looked_at, SUM(CASE WHEN ${isMine.sql} THEN 1 ELSE 0 END) AS fit FROM ${sql}`,
      [...isMine.params, ...params],
    );
    const fit = Number(row?.fit ?? 0);
    const isLeast = fit > most || (isOwn && Number(row?.looked_at ?? 0) >= MOST_LOOKED_AT);
    return { count: Math.min(fit, most), isLeast };
  }

  async lost(filter: DeliveryFilter, visibility: Visibility, most: number): Promise<LostEvents> {
    const { since: givenUpSince, until: givenUpUntil, ...others } = filter;
    const letters = { ...deadIn(others), lost: true, givenUpSince, givenUpUntil } as const;
    const isOfReceivers = filter.taskId === undefined && filter.configId === undefined;
    const scope = isOfReceivers ? receiversSeenBy(visibility) : visibility;
    const { sql, params, isOwn, isMine } = this.newestDead(letters, scope, most);
    const isSeen = seenRows(visibility);
    const fits = (then: string): string => `CASE WHEN ${isMine.sql} THEN ${then} END`;
    const rows = await this.database.read<LostRow>(
      `SELECT endpoint, reason, COUNT(*) AS looked_at, COUNT(${fits('1')}) AS fit,
         COUNT(CASE WHEN ${isSeen.sql} THEN 1 END) AS own,
         MIN(${fits('updated_at')}) AS first_at, MAX(${fits('updated_at')}) AS last_at
       FROM ${sql} GROUP BY endpoint, reason`,
      [...isMine.params, ...isSeen.params, ...isMine.params, ...isMine.params, ...params],
    );
    const looked = rows.reduce((sum, { looked_at }) => sum + Number(looked_at), 0);
    const fit = rows.filter((row) => Number(row.fit) > 0);
    const isLeast = sumOf(fit) > most || (isOwn && looked >= MOST_LOOKED_AT);
    return { receivers: lostByReceiver(fit), total: Math.min(sumOf(fit), most), isLeast };
  }

  /** The newest dead letters that fit: one more than `most`, or of whoever sees only its own those of its organization. */
  private newestDead(filter: RowFilter, visibility: Visibility, most: number): NewestDead {
    const isOwn = visibility.kind === 'principal';
    // The index of a principal has all it was ever sent, that of what is not delivered has few.
    const { sql, params } = conditionsOf(
      filter,
      receiversSeenBy(visibility),
      this.database.dialect,
    );
    return {
      sql: `(SELECT endpoint, principal_id, reason, updated_at FROM push_deliveries
        WHERE ${sql} ORDER BY ${newestBy(filter)} DESC LIMIT ?) AS dead`,
      params: [...params, isOwn ? MOST_LOOKED_AT : most + 1],
      isOwn,
      isMine: seenRows(visibility),
    };
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
      yield* lockStream(tx, found.stream_id);
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
    const letters = conditionsOf(deadIn(filter), visibility, this.database.dialect);
    return this.inPieces(limit, after, (tx, size, from) =>
      reopenDead(tx, letters, from, size, now),
    );
  }

  purgeDead(
    filter: DeliveryFilter,
    visibility: Visibility,
    limit: number,
    after: string | null = null,
  ): Promise<BulkOutcome> {
    const letters = conditionsOf(deadIn(filter), visibility, this.database.dialect);
    return this.inPieces(limit, after, (tx, size, from) => deleteDead(tx, letters, from, size));
  }

  /** Repeats `piece`, each time behind what it has found, until nothing fits any more or `limit` is reached. */
  private async inPieces(
    limit: number,
    behind: string | null,
    piece: (tx: Tx, size: number, after: string) => Work<DeadPiece>,
  ): Promise<BulkOutcome> {
    let count = 0;
    let after = behind ?? '';
    while (count < limit) {
      const size = Math.min(AT_ONCE, limit - count);
      const from = after;
      const { found, done, last } = await this.database.write((tx) => piece(tx, size, from));
      count += done;
      if (found < size || last === null) return { count, last: null };
      after = last;
    }
    return { count, last: after };
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

/** As the index has them that serves: those of one receiver, webhook or task are by the time they were made. */
function newestBy(filter: RowFilter): string {
  return filter.lost && !isNarrow(filter) ? 'updated_at' : 'id';
}

function* lockStream(tx: Tx, streamId: string): Work<void> {
  const [stream] = yield* tx.all<{ active: number }>(
    `SELECT active FROM push_delivery_streams WHERE id = ?${forUpdate(tx)}`,
    [streamId],
  );
  if (!stream) throw new HubError('CONFLICT', 'The webhook of this delivery was deleted.');
  if (stream.active === 0) {
    throw new HubError(
      'CONFLICT',
      'The webhook of this delivery is disabled; resume it or set it again first.',
    );
  }
}
