import { Injectable } from '@nestjs/common';
import { IdSource } from '../../../common/ids.js';
import { Database } from '../../../database/database.js';
import { pieces } from '../../../database/multi-row.js';
import type { Tx, Work } from '../../../database/sql.js';
import { TaskPositions } from '../../../tasks/index.js';
import { DELETED } from '../../registration/persistence/webhook-rows.js';
import {
  type NewSubscriptionLane,
  SubscriptionStreamStore,
  type Unsettled,
} from '../subscription-stream-store.js';
import { attachLanes } from './open-streams.js';
import { alignLanes } from './reconcile-streams.js';

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

  attach(tx: Tx, lanes: readonly NewSubscriptionLane[], now: Date): Work<number> {
    return attachLanes(tx, lanes, this, now);
  }

  async unsettled(): Promise<Unsettled[]> {
    const rows = await this.database.read<{ uid: string; unsettled: number }>(
      'SELECT uid, unsettled FROM push_webhooks WHERE unsettled IS NOT NULL ORDER BY unsettled',
    );
    return rows.map(({ uid, unsettled }) => ({ id: uid, revision: unsettled }));
  }

  async settle(
    id: string,
    cursor: string | null,
    limit: number,
    now: Date,
  ): Promise<string | null> {
    const rows = await this.database.read<{ id: string }>(
      'SELECT id FROM push_lanes WHERE webhook_uid = ? AND id > ? ORDER BY id LIMIT ?',
      [id, cursor ?? '', limit],
    );
    for (const piece of pieces(rows.map((row) => row.id))) {
      await this.database.write((tx) => alignLanes(tx, this, id, piece, now));
    }
    return rows.length < limit ? null : rows.at(-1)!.id;
  }

  async settled({ id, revision }: Unsettled): Promise<void> {
    await this.database.write(function* (tx) {
      yield* tx.run(
        `DELETE FROM push_webhooks WHERE uid = ? AND unsettled = ? AND state = '${DELETED}'
           AND NOT EXISTS (SELECT 1 FROM push_lanes l WHERE l.webhook_uid = ?)`,
        [id, revision, id],
      );
      yield* tx.run(
        `UPDATE push_webhooks SET unsettled = NULL
         WHERE uid = ? AND unsettled = ? AND state <> '${DELETED}'`,
        [id, revision],
      );
    });
  }
}
