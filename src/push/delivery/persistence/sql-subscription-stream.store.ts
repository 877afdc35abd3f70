import { Injectable } from '@nestjs/common';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import { pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { TaskPositions } from '../../../tasks/index.js';
import { DELETED } from '../../registration/persistence/webhook-rows.js';
import {
  type NewSubscriptionStream,
  SubscriptionStreamStore,
  type StaleSubscription,
} from '../subscription-stream-store.js';
import { openStreams } from './open-streams.js';
import { reconcileStreams } from './reconcile-streams.js';

const NONE: ReadonlySet<string> = new Set();

/** {@link SubscriptionStreamStore} on the hub's database. */
@Injectable()
export class SqlSubscriptionStreamStore extends SubscriptionStreamStore {
  constructor(
    private readonly database: Database,
    readonly ids: IdSource,
    readonly tasks: TaskPositions,
  ) {
    super();
  }

  open(tx: Tx, streams: readonly NewSubscriptionStream[], now: Date): Work<number> {
    return openStreams(tx, streams, this, now);
  }

  async stale(): Promise<StaleSubscription[]> {
    const rows = await this.database.read<{ id: string; reconcile_revision: number }>(
      'SELECT id, reconcile_revision FROM push_webhooks WHERE reconcile_revision IS NOT NULL ORDER BY reconcile_revision',
    );
    return rows.map(({ id, reconcile_revision }) => ({ id, revision: reconcile_revision }));
  }

  async reconcileClaimed(id: string, now: Date): Promise<ReadonlySet<string>> {
    // As many as workers have in hand: an index by the subscription would lead past all of its streams.
    const rows = await this.database.read<{ id: string }>(
      `SELECT id FROM push_delivery_streams WHERE lease_until > 0 AND COALESCE(webhook_uid, '') = ?`,
      [id],
    );
    const ids = rows.map((row) => row.id).sort();
    for (const piece of pieces(ids)) {
      await this.database.write((tx) => reconcileStreams(tx, this, id, piece, now));
    }
    return new Set(ids);
  }

  async reconcile(
    id: string,
    cursor: string | null,
    limit: number,
    now: Date,
    done: ReadonlySet<string> = NONE,
  ): Promise<string | null> {
    const rows = await this.database.read<{ id: string }>(
      'SELECT id FROM push_delivery_streams WHERE webhook_uid = ? AND id > ? ORDER BY id LIMIT ?',
      [id, cursor ?? '', limit],
    );
    const left = rows.map((row) => row.id).filter((each) => !done.has(each));
    for (const piece of pieces(left)) {
      await this.database.write((tx) => reconcileStreams(tx, this, id, piece, now));
    }
    return rows.length < limit ? null : rows.at(-1)!.id;
  }

  async reconciled({ id, revision }: StaleSubscription): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `DELETE FROM push_webhooks WHERE id = ? AND reconcile_revision = ? AND state = '${DELETED}'
           AND NOT EXISTS (SELECT 1 FROM push_delivery_streams s WHERE s.webhook_uid = ?)`,
        [id, revision, id],
      );
      yield* tx.run(
        `UPDATE push_webhooks SET reconcile_revision = NULL
         WHERE id = ? AND reconcile_revision = ? AND state <> '${DELETED}'`,
        [id, revision],
      );
    });
  }
}
