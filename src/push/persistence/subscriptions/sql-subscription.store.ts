import { Injectable } from '@nestjs/common';
import type { Visibility } from '../../../auth/index.js';
import { HubError, invalidField } from '../../../common/hub-error.js';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import { listOf, pieces, rowsOf } from '../../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../../database/sql.js';
import { storable } from '../../../database/text.js';
import type { Subscription, SubscriptionDraft } from '../../subscriptions/subscription.js';
import {
  type NewSubscriptionLane,
  type SubscriptionChange,
  type SubscriptionQuery,
  SubscriptionStore,
  type Unsettled,
} from '../../subscriptions/subscription-store.js';
import { forUpdate, visible } from '../push-rows.js';
import { alignLanes } from './subscription-align.js';
import { attachLanes } from './subscription-attach.js';
import {
  CHANGED_COLUMNS,
  DELETED,
  type SubscriptionRow,
  changedValues,
  differsForLanes,
  raiseRevision,
  revisionIn,
  toSubscription,
} from './subscription-rows.js';

const FIXED_COLUMNS = ['id', 'source', 'organization', 'principal_id', 'scope', 'version'] as const;
const COLUMNS = [...FIXED_COLUMNS, ...CHANGED_COLUMNS];
const LIVE = `state <> '${DELETED}'`;
const SET_CHANGED = CHANGED_COLUMNS.map((column) => `${column} = ?`).join(', ');

/** {@link SubscriptionStore} on the hub's database. */
@Injectable()
export class SqlSubscriptionStore extends SubscriptionStore {
  constructor(
    private readonly database: Database,
    private readonly ids: IdSource,
  ) {
    super();
  }

  async revision(): Promise<number> {
    const [row] = await this.database.read<{ revision: number }>(
      'SELECT revision FROM push_subscription_revisions WHERE id = 1',
    );
    return row?.revision ?? 0;
  }

  revisionIn(tx: Tx): Work<number> {
    return revisionIn(tx);
  }

  async all(): Promise<Subscription[]> {
    const rows = await this.database.read<SubscriptionRow>(
      `SELECT * FROM push_subscriptions WHERE ${LIVE} ORDER BY id`,
    );
    return rows.map(toSubscription);
  }

  *allIn(tx: Tx, organizations: readonly string[]): Work<Subscription[]> {
    const found: SubscriptionRow[] = [];
    for (const piece of pieces(organizations)) {
      const rows = yield* tx.all<SubscriptionRow>(
        `SELECT * FROM push_subscriptions
         WHERE organization IN ${listOf(piece.length)} AND ${LIVE} ORDER BY id`,
        piece,
      );
      found.push(...rows);
    }
    return found.map(toSubscription);
  }

  create(draft: SubscriptionDraft, limit: number, now: Date): Promise<Subscription> {
    const subscription: Subscription = {
      ...draft,
      state: 'active',
      stateReason: null,
      createdAt: now,
      updatedAt: now,
    };
    return this.database.write(function* (tx) {
      yield* raiseRevision(tx);
      yield* refuseTaken(tx, draft.id);
      if (draft.source === 'api') yield* refuseTooMany(tx, draft.organization, limit);
      const { id, source, organization, principalId, scope, version } = draft;
      const [row] = yield* tx.all<SubscriptionRow>(
        `INSERT INTO push_subscriptions (${COLUMNS.join(', ')})
         VALUES ${rowsOf(1, COLUMNS.length)} RETURNING *`,
        [id, source, organization, principalId, scope, version, ...changedValues(subscription)],
      );
      return toSubscription(row!);
    });
  }

  async get(id: string, visibility: Visibility): Promise<Subscription | undefined> {
    const scope = visible(visibility);
    const rows = await this.database.read<SubscriptionRow>(
      `SELECT * FROM push_subscriptions WHERE id = ? AND ${LIVE} AND ${scope.sql}`,
      [storable(id), ...scope.params],
    );
    return rows.map(toSubscription)[0];
  }

  async list(
    query: SubscriptionQuery,
    visibility: Visibility,
    limit: number,
    cursor: string | null,
  ): Promise<Subscription[]> {
    const scope = visible(visibility);
    const conditions = [LIVE, scope.sql];
    const params: SqlValue[] = [...scope.params];
    const where = (sql: string, value: string | null | undefined): void => {
      if (value === null || value === undefined) return;
      conditions.push(sql);
      params.push(storable(value));
    };
    where('organization = ?', query.organization);
    where('state = ?', query.state);
    where('id > ?', cursor);
    const rows = await this.database.read<SubscriptionRow>(
      `SELECT * FROM push_subscriptions WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`,
      [...params, limit],
    );
    return rows.map(toSubscription);
  }

  update(
    id: string,
    visibility: Visibility,
    decide: (present: Subscription) => SubscriptionChange,
    now: Date,
  ): Promise<Subscription | undefined> {
    return this.database.write(function* (tx): Work<Subscription | undefined> {
      const revision = yield* raiseRevision(tx);
      const present = yield* lockOne(tx, id, visibility);
      if (present === undefined) return undefined;
      const change = decide(present);
      const next = { ...present, ...change, updatedAt: now };
      // Resumed, it takes up those of its tasks, too, that were given up by themselves.
      const isOut = change.state !== undefined || differsForLanes(present, next);
      yield* tx.run(
        `UPDATE push_subscriptions SET ${SET_CHANGED},
           unsettled = CASE WHEN ? = 1 THEN CAST(? AS bigint) ELSE unsettled END WHERE id = ?`,
        [...changedValues(next), isOut ? 1 : 0, revision, present.id],
      );
      return next;
    });
  }

  remove(
    id: string,
    visibility: Visibility,
    allowed: (present: Subscription) => void,
    now: Date,
  ): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const revision = yield* raiseRevision(tx);
      const present = yield* lockOne(tx, id, visibility);
      if (present === undefined) return false;
      allowed(present);
      yield* tx.run(
        `UPDATE push_subscriptions SET state = '${DELETED}', unsettled = ?, updated_at = ?,
           auth_scheme = NULL, auth_profile = NULL, sealed_credentials = NULL, sealed_token = NULL,
           sealed_signing_keys = NULL WHERE id = ?`,
        [revision, now.getTime(), present.id],
      );
      return true;
    });
  }

  attach(tx: Tx, lanes: readonly NewSubscriptionLane[], now: Date): Work<number> {
    return attachLanes(tx, lanes, () => this.ids.next(), now);
  }

  async unsettled(): Promise<Unsettled[]> {
    const rows = await this.database.read<{ id: string; unsettled: number }>(
      'SELECT id, unsettled FROM push_subscriptions WHERE unsettled IS NOT NULL ORDER BY unsettled',
    );
    return rows.map(({ id, unsettled }) => ({ id, revision: unsettled }));
  }

  async settle(
    id: string,
    cursor: string | null,
    limit: number,
    now: Date,
  ): Promise<string | null> {
    const rows = await this.database.read<{ uid: string; task_id: string }>(
      `SELECT uid, task_id FROM push_configs WHERE subscription_id = ? AND uid > ?
       ORDER BY uid LIMIT ?`,
      [id, cursor ?? '', limit],
    );
    for (const piece of pieces(rows)) {
      await this.database.write((tx) => alignLanes(tx, this.ids, id, piece, now));
    }
    return rows.length < limit ? null : rows.at(-1)!.uid;
  }

  async settled({ id, revision }: Unsettled): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `DELETE FROM push_subscriptions WHERE id = ? AND unsettled = ? AND state = '${DELETED}'
           AND NOT EXISTS (SELECT 1 FROM push_configs c WHERE c.subscription_id = ?)`,
        [id, revision, id],
      );
      yield* tx.run(
        `UPDATE push_subscriptions SET unsettled = NULL
         WHERE id = ? AND unsettled = ? AND state <> '${DELETED}'`,
        [id, revision],
      );
    });
  }
}

function* lockOne(tx: Tx, id: string, visibility: Visibility): Work<Subscription | undefined> {
  const scope = visible(visibility);
  const rows = yield* tx.all<SubscriptionRow>(
    `SELECT * FROM push_subscriptions WHERE id = ? AND ${LIVE} AND ${scope.sql}${forUpdate(tx)}`,
    [storable(id), ...scope.params],
  );
  return rows.map(toSubscription)[0];
}

function* refuseTaken(tx: Tx, id: string): Work<void> {
  const [taken] = yield* tx.all('SELECT id FROM push_subscriptions WHERE id = ?', [id]);
  if (taken !== undefined) {
    throw new HubError('CONFLICT', `There is a subscription ${id} already.`);
  }
}

function* refuseTooMany(tx: Tx, organization: string, limit: number): Work<void> {
  const [row] = yield* tx.all<{ total: number }>(
    `SELECT COUNT(*) AS total FROM push_subscriptions
     WHERE organization = ? AND source = 'api' AND ${LIVE}`,
    [organization],
  );
  if ((row?.total ?? 0) >= limit) {
    throw invalidField(
      'organization',
      `has ${limit} subscriptions already (push.maxSubscriptions); delete one first`,
    );
  }
}
