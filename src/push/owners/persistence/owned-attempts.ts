import { longTurn } from '../../../common/long-work.js';
import {
  type DataOwner,
  type DataRecord,
  type DataRemoval,
  OwnedData,
} from '../../../common/owned-data.js';
import { PieceSize } from '../../../common/piece-size.js';
import type { Database } from '../../../database/database.js';
import { listOf } from '../../../database/multi-row.js';
import type { SqlValue } from '../../../database/sql.js';
import { Table } from '../../../database/table.js';
import { pieceOf, timed } from '../../../database/timed.js';
import { PushAttemptEntity } from '../../delivery/persistence/delivery.entity.js';

const ATTEMPT = new Table(PushAttemptEntity).select();
/** Deliveries whose attempts are counted, read, and deleted in one piece. */
const COUNTED = 500;
const READ = 50;
const DELETED = 500;

/** The attempts of deliveries: they do not say whose they are, so the deliveries are walked through and theirs are taken. */
export class OwnedAttempts extends OwnedData {
  readonly kind = 'deliveryAttempts';
  readonly tables = ['push_attempts'];
  private readonly size = new PieceSize(8, DELETED, 64);
  /** How far the deletions are, so that none walks through the deliveries again at each piece. */
  private readonly walked = new WeakMap<DataRemoval, { owner: DataOwner; delivery: string }>();

  constructor(private readonly database: Database) {
    super();
  }

  async count(owner: DataOwner): Promise<number> {
    let count = 0;
    for await (const ids of this.deliveries(owner, COUNTED)) {
      const [row] = await this.database.read<{ n: number }>(
        `SELECT COUNT(*) AS n FROM push_attempts WHERE delivery_id IN ${listOf(ids.length)}`,
        ids,
      );
      count += row!.n;
    }
    return count;
  }

  async *records(owner: DataOwner): AsyncGenerator<readonly DataRecord[]> {
    for await (const ids of this.deliveries(owner, READ)) {
      const where = `WHERE delivery_id IN ${listOf(ids.length)} ORDER BY delivery_id, number`;
      const rows = await ATTEMPT.list(this.database, where, ids);
      if (rows.length > 0) yield rows.map((row) => ({ ...row }));
    }
  }

  async delete(owner: DataOwner, removal: DataRemoval): Promise<number> {
    const before = this.walked.get(removal);
    const from = before !== undefined && isSame(before.owner, owner) ? before.delivery : '';
    const size = (): number => pieceOf(this.database, this.size, DELETED);
    for await (const ids of this.deliveries(owner, size, from)) {
      this.walked.set(removal, { owner, delivery: ids.at(-1)! });
      const [some] = await this.database.read(
        `SELECT 1 AS one FROM push_attempts WHERE delivery_id IN ${listOf(ids.length)} LIMIT 1`,
        ids,
      );
      if (some === undefined) continue;
      const sql = `DELETE FROM push_attempts WHERE delivery_id IN ${listOf(ids.length)}`;
      const deleted = await this.database.write((tx) => timed(tx, this.size, tx.run(sql, ids)));
      if (deleted > 0) return deleted;
    }
    this.walked.delete(removal);
    return 0;
  }

  /** Their ids, in the order of an index. */
  private async *deliveries(
    owner: DataOwner,
    size: number | (() => number),
    from = '',
  ): AsyncGenerator<readonly string[]> {
    const [column, name] =
      'organization' in owner
        ? ['organization', owner.organization]
        : ['principal_id', owner.principal];
    const sql = `SELECT id FROM push_deliveries WHERE ${column} = ? AND id > ? ORDER BY id LIMIT ?`;
    for (let after = from; ;) {
      await longTurn();
      const limit = typeof size === 'number' ? size : size();
      const params: SqlValue[] = [name, after, limit];
      const rows = await this.database.read<{ id: string }>(sql, params);
      if (rows.length > 0) yield rows.map(({ id }) => id);
      if (rows.length < limit) return;
      after = rows.at(-1)!.id;
    }
  }
}

function isSame(one: DataOwner, other: DataOwner): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
