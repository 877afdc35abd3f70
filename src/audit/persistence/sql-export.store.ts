import { Injectable } from '@nestjs/common';
import { longTurn } from '../../common/long-work.js';
import { PieceSize } from '../../common/piece-size.js';
import { Database } from '../../database/database.js';
import { leaseBounds, unleased } from '../../database/leases.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import {
  type ExportedEntries,
  type ExportLease,
  type ExportState,
  ExportStore,
  type PendingChain,
} from '../export/export-store.js';
import { AuditExportEntity } from './audit-export.entity.js';
import { AuditExportPlaceEntity } from './audit-export-place.entity.js';

const EXPORTS = new Table(AuditExportEntity);
const INSERT_EXPORT = EXPORTS.insert('ON CONFLICT (id) DO NOTHING');
const STATE = EXPORTS.select(
  'sent',
  'missed',
  'setAside',
  'lastSetAside',
  'failures',
  'lastError',
  'lastErrorAt',
  'lastSentAt',
  'nextAttemptAt',
);
const PLACE = new Table(AuditExportPlaceEntity).insert(
  `ON CONFLICT (export_id, chain) DO UPDATE SET seq = excluded.seq
     WHERE audit_export_places.seq < excluded.seq`,
);

/** What is left of each chain of `chains`: of each one but its ends is looked at. */
const LEFT = `ends AS (
    SELECT c.chain AS chain, c.n AS n, COALESCE(p.seq, 0) AS sent,
      (SELECT MAX(e.seq) FROM audit_events e WHERE e.chain = c.chain) AS last
    FROM chains c LEFT JOIN audit_export_places p ON p.chain = c.chain AND p.export_id = ?
    WHERE c.chain IS NOT NULL
  )
  SELECT chain, n, sent, last,
    (SELECT MIN(e.seq) FROM audit_events e WHERE e.chain = ends.chain AND e.seq > ends.sent) AS first,
    (SELECT e.at FROM audit_events e WHERE e.chain = ends.chain AND e.seq > ends.sent
       ORDER BY e.seq LIMIT 1) AS first_at
  FROM ends WHERE last > sent`;
const LEFT_OF_ONE = `WITH chains AS (SELECT ? AS chain, 0 AS n), ${LEFT}`;
/** Of so many chains behind one: each is found by the index. The last of them is given in any case, so that the next ones follow. */
const LEFT_BEHIND = `
  WITH RECURSIVE chains(chain, n) AS (
    SELECT (SELECT MIN(chain) FROM audit_events WHERE chain > ?), 1
    UNION ALL
    SELECT (SELECT MIN(e.chain) FROM audit_events e WHERE e.chain > chains.chain), n + 1
      FROM chains WHERE chains.chain IS NOT NULL AND n < ?
  ), ${LEFT} OR n = ? ORDER BY n`;

interface PendingRow {
  readonly chain: string;
  readonly n: number;
  readonly sent: number;
  readonly last: number;
  /** Both null of one of which nothing is left. */
  readonly first: number | null;
  readonly first_at: number | null;
}

/** Chains that are looked at between two turns of the event loop, which SQLite holds meanwhile. */
const LEAST = 64;
const MOST = 2048;
const FIRST = 256;

/** {@link ExportStore} on the hub's database. */
@Injectable()
export class SqlExportStore extends ExportStore {
  constructor(private readonly database: Database) {
    super();
  }

  async begin(
    exportId: string,
    sent: readonly { readonly chain: string; readonly seq: number }[],
  ): Promise<void> {
    await this.database.write(function* (tx): Work<void> {
      const isNew = yield* INSERT_EXPORT.one(tx, {
        id: exportId,
        ...{ owner: null, leasedUntil: null, sent: 0, missed: 0, failures: 0, setAside: 0 },
        lastSetAside: null,
        ...{ lastError: null, lastErrorAt: null, lastSentAt: null, nextAttemptAt: null },
      });
      if (isNew === 0 || sent.length === 0) return;
      yield* PLACE.apply(
        tx,
        sent.map(({ chain, seq }) => ({ exportId, chain, seq })),
      );
    });
  }

  async state(exportId: string): Promise<ExportState | undefined> {
    return (await STATE.list(this.database, 'WHERE id = ?', [exportId]))[0];
  }

  async pending(exportId: string): Promise<readonly PendingChain[]> {
    const size = new PieceSize(LEAST, MOST, FIRST);
    const isHeld = this.database.dialect === 'sqlite';
    const pending: PendingChain[] = [];
    for (let behind = ''; ; await longTurn()) {
      const most = isHeld ? size.rows : 1_000_000;
      const params = [behind, most, exportId, most];
      const reading = size.time(() => this.database.read<PendingRow>(LEFT_BEHIND, params));
      const rows = await reading;
      pending.push(...rows.flatMap(leftOf));
      const last = rows.at(-1);
      if (last === undefined || Number(last.n) < most) return pending;
      behind = last.chain;
    }
  }

  async pendingOf(exportId: string, chain: string): Promise<readonly PendingChain[]> {
    const rows = await this.database.read<PendingRow>(LEFT_OF_ONE, [chain, exportId]);
    return rows.flatMap(leftOf);
  }

  async claim(
    exportId: string,
    { owner, until }: ExportLease,
    now: Date,
    isSole: boolean,
  ): Promise<boolean> {
    const [at, end] = [now.getTime(), until.getTime()];
    const changed = await this.database.write(
      (tx) =>
        tx.run(
          `UPDATE audit_exports SET owner = ?, leased_until = ? WHERE id = ?
             AND (owner IS NULL OR owner = ? OR ${unleased('leased_until')} OR ? = 1)`,
          [owner, end, exportId, owner, ...leaseBounds(at, end - at), isSole ? 1 : 0],
        ),
      'may-be-lost',
    );
    return changed > 0;
  }

  async advance(
    exportId: string,
    { owner, until }: ExportLease,
    { chain, seq, count, setAside }: { chain: string; seq: number } & ExportedEntries,
    now: Date,
  ): Promise<boolean> {
    // What a power failure takes back is sent again.
    return this.database.write(function* (tx): Work<boolean> {
      const changed = yield* tx.run(
        `UPDATE audit_exports SET leased_until = ?, sent = sent + ?, failures = 0, next_attempt_at = NULL,
           last_sent_at = ?, set_aside = set_aside + ?, last_set_aside = COALESCE(?, last_set_aside)
           WHERE id = ? AND owner = ?`,
        [
          until.getTime(),
          count - (setAside?.count ?? 0),
          now.getTime(),
          setAside?.count ?? 0,
          setAside === undefined ? null : `${chain} up to ${seq}: ${setAside.why}`,
          exportId,
          owner,
        ],
      );
      if (changed === 0) return false;
      yield* PLACE.one(tx, { exportId, chain, seq });
      return true;
    }, 'may-be-lost');
  }

  async failed(
    exportId: string,
    owner: string,
    {
      failures,
      lastError,
      lastErrorAt,
      nextAttemptAt,
    }: Pick<ExportState, 'failures' | 'lastError' | 'lastErrorAt' | 'nextAttemptAt'>,
  ): Promise<void> {
    await this.database.write(
      (tx) =>
        tx.run(
          `UPDATE audit_exports SET failures = ?, last_error = ?, last_error_at = ?, next_attempt_at = ?
             WHERE id = ? AND owner = ?`,
          [
            failures,
            lastError,
            lastErrorAt?.getTime() ?? null,
            nextAttemptAt?.getTime() ?? null,
            exportId,
            owner,
          ],
        ),
      'may-be-lost',
    );
  }

  async release(exportId: string, owner: string): Promise<void> {
    await this.database.write(
      (tx) =>
        tx.run(
          'UPDATE audit_exports SET owner = NULL, leased_until = NULL WHERE id = ? AND owner = ?',
          [exportId, owner],
        ),
      'may-be-lost',
    );
  }

  setAside(
    exportId: string,
    owner: string,
    { chain, seq, why }: { readonly chain: string; readonly seq: number; readonly why: string },
  ): Promise<boolean> {
    return this.database.write(function* (tx): Work<boolean> {
      const changed = yield* tx.run(
        `UPDATE audit_exports SET set_aside = set_aside + 1, last_set_aside = ? WHERE id = ? AND owner = ?`,
        [`${chain} ${seq}: ${why}`, exportId, owner],
      );
      if (changed > 0) yield* PLACE.one(tx, { exportId, chain, seq });
      return changed > 0;
    });
  }

  async sentByAll(exportIds: readonly string[], chain: string): Promise<number> {
    const rows = await this.database.read<{ export_id: string; seq: number }>(
      'SELECT export_id, seq FROM audit_export_places WHERE chain = ?',
      [chain],
    );
    const places = new Map(rows.map(({ export_id: id, seq }) => [id, Number(seq)]));
    return Math.min(...exportIds.map((id) => places.get(id) ?? 0));
  }

  async passOver(
    chain: string,
    seq: number,
  ): Promise<readonly { readonly exportId: string; readonly count: number }[]> {
    const exports = await this.database.read<{ id: string }>('SELECT id FROM audit_exports');
    if (exports.length === 0) return [];
    return this.database.write(function* (tx: Tx): Work<{ exportId: string; count: number }[]> {
      const missed: { exportId: string; count: number }[] = [];
      for (const { id: exportId } of exports) {
        const [{ count } = { count: 0 }] = yield* tx.all<{ count: number }>(
          `SELECT COUNT(*) AS count FROM audit_events WHERE chain = ? AND seq <= ? AND seq > COALESCE(
             (SELECT seq FROM audit_export_places WHERE export_id = ? AND chain = ?), 0)`,
          [chain, seq, exportId, chain],
        );
        if (Number(count) === 0) continue;
        yield* tx.run('UPDATE audit_exports SET missed = missed + ? WHERE id = ?', [
          Number(count),
          exportId,
        ]);
        yield* PLACE.one(tx, { exportId, chain, seq });
        missed.push({ exportId, count: Number(count) });
      }
      return missed;
    });
  }

  async forgetEndedChains(): Promise<void> {
    await this.database.write((tx) =>
      tx.run(
        `DELETE FROM audit_export_places WHERE NOT EXISTS
           (SELECT 1 FROM audit_events e WHERE e.chain = audit_export_places.chain)`,
      ),
    );
  }
}

function leftOf({ chain, sent, first, first_at: firstAt, last }: PendingRow): PendingChain[] {
  if (first === null || firstAt === null) return [];
  const places = { sent: Number(sent), first: Number(first), last: Number(last) };
  return [{ chain, ...places, firstAt: new Date(Number(firstAt)) }];
}
