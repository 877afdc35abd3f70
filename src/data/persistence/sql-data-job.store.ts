import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import { type DataOwner, ownerKey, ownerText } from '../../common/owned-data.js';
import type { Page } from '../../common/page.js';
import { pageOf } from '../../common/cursor.js';
import { Database } from '../../database/database.js';
import { leaseBounds, unleased } from '../../database/leases.js';
import { forUpdate } from '../../database/rows.js';
import type { Tx, Work } from '../../database/sql.js';
import { Table } from '../../database/table.js';
import { storable } from '../../database/text.js';
import type { DataJob, DataJobKind, DataProgress } from '../data-job.js';
import { type DataJobEnd, DataJobStore, type ExportReading, NOT_READ } from '../data-job-store.js';
import { LEASE_MS } from '../held-lease.js';
import { DataJobEntity } from './data-job.entity.js';

const JOBS = new Table(DataJobEntity);
const JOB = JOBS.selectBut('runner', 'leaseUntil');
const INSERT = JOBS.insert('ON CONFLICT DO NOTHING');

/** {@link DataJobStore} in the hub's database. */
@Injectable()
export class SqlDataJobStore extends DataJobStore {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ owner, ...job }: DataJob): Promise<void> {
    const row = { ...job, owner: ownerKey(owner), runner: null, leaseUntil: null };
    if ((await this.database.write((tx) => INSERT.one(tx, row))) === 1) return;
    throw new HubError('CONFLICT', `The data of ${ownerText(owner)} is being deleted already.`);
  }

  async get(kind: DataJobKind, id: string): Promise<DataJob | undefined> {
    const found = await JOB.list(this.database, 'WHERE kind = ? AND id = ?', [kind, storable(id)]);
    return found.map(toJob)[0];
  }

  async list(kind: DataJobKind, limit: number, cursor?: string): Promise<Page<DataJob>> {
    const before = cursor === undefined ? '' : 'AND id < ?';
    const found = await JOB.list(
      this.database,
      `WHERE kind = ? ${before} ORDER BY id DESC LIMIT ?`,
      [kind, ...(cursor === undefined ? [] : [storable(cursor)]), limit + 1],
    );
    return pageOf(`data-${kind}s`, found.map(toJob), limit, ({ id }) => id);
  }

  async claim(runner: string, now: Date, until: Date): Promise<DataJob | undefined> {
    const free = `kind = 'deletion' AND ended_at IS NULL AND ${unleased('lease_until')}`;
    const [at, end] = [now.getTime(), until.getTime()];
    const bounds = leaseBounds(at, end - at);
    const waiting = await this.database.read(
      `SELECT 1 FROM data_jobs WHERE ${free} LIMIT 1`,
      bounds,
    );
    if (waiting.length === 0) return undefined;
    return this.database.write(function* (tx): Work<DataJob | undefined> {
      const [found] = yield* tx.all<{ id: string }>(
        `SELECT id FROM data_jobs WHERE ${free} ORDER BY id LIMIT 1${forUpdate(tx, true)}`,
        bounds,
      );
      if (found === undefined) return undefined;
      const sql = `UPDATE data_jobs SET state = 'running', runner = ?, lease_until = ?,
        started_at = COALESCE(started_at, CAST(? AS bigint)) WHERE id = ?`;
      const claimed = yield* JOB.returning(tx, sql, [runner, end, at, found.id]);
      return claimed.map(toJob)[0];
    });
  }

  async renew(id: string, runner: string, progress: DataProgress, until: Date): Promise<boolean> {
    return this.changes(
      'UPDATE data_jobs SET progress = ?, lease_until = ? WHERE id = ? AND runner = ? AND ended_at IS NULL',
      [JSON.stringify(progress), until.getTime(), id, runner],
    );
  }

  async postpone(
    ...[id, runner, progress, until, why]: Parameters<DataJobStore['postpone']>
  ): Promise<void> {
    await this.changes(
      'UPDATE data_jobs SET progress = ?, lease_until = ?, error = ? WHERE id = ? AND runner = ? AND ended_at IS NULL',
      [JSON.stringify(progress), until.getTime(), storable(why), id, runner],
    );
  }

  begin({ id, reader }: ExportReading, now: Date, until: Date): Promise<boolean> {
    return this.changes(
      `UPDATE data_jobs SET state = 'running', progress = '{}', error = NULL, receipt = NULL,
         started_at = ?, ended_at = NULL, runner = ?, lease_until = ? WHERE id = ? AND state <> 'canceled'`,
      [now.getTime(), reader, until.getTime(), id],
    );
  }

  note({ id, reader }: ExportReading, progress: DataProgress, until: Date): Promise<boolean> {
    return this.database.write(function* (tx) {
      const changed = yield* tx.run(
        `UPDATE data_jobs SET progress = ?, lease_until = ? WHERE id = ? AND runner = ? AND state = 'running'`,
        [JSON.stringify(progress), until.getTime(), id, reader],
      );
      return changed > 0 || (yield* isKept(tx, id));
    });
  }

  async endLeft(now: Date, isAll: boolean): Promise<void> {
    const at = now.getTime();
    const left = `kind = 'export' AND state = 'running'
      ${isAll ? '' : `AND ${unleased('lease_until')}`}`;
    const bounds = isAll ? [] : leaseBounds(at, LEASE_MS);
    const found = await this.database.read(`SELECT 1 FROM data_jobs WHERE ${left} LIMIT 1`, bounds);
    if (found.length === 0) return;
    await this.changes(
      `UPDATE data_jobs SET state = 'failed', error = ?, ended_at = ?, runner = NULL,
         lease_until = NULL WHERE ${left}`,
      [NOT_READ, at, ...bounds],
    );
  }

  end({ id, reader }: ExportReading, end: DataJobEnd, now: Date): Promise<boolean> {
    return this.database.write(function* (tx) {
      const isEnded = yield* endBy(tx, id, reader, end, now);
      return isEnded || (yield* isKept(tx, id));
    });
  }

  endIn(tx: Tx, id: string, runner: string, end: DataJobEnd, now: Date): Work<boolean> {
    return endBy(tx, id, runner, end, now);
  }

  cancel(kind: DataJobKind, id: string, now: Date): Promise<boolean> {
    return this.changes(
      `UPDATE data_jobs SET state = 'canceled', ended_at = ?, runner = NULL, lease_until = NULL
       WHERE kind = ? AND id = ? AND state IN ('waiting', 'running')`,
      [now.getTime(), kind, storable(id)],
    );
  }

  async releaseOthers(runner: string): Promise<void> {
    await this.changes(
      `UPDATE data_jobs SET runner = NULL, lease_until = NULL
       WHERE kind = 'deletion' AND runner IS NOT NULL AND runner <> ?`,
      [runner],
    );
  }

  private async changes(
    sql: string,
    params: readonly (string | number | null)[],
  ): Promise<boolean> {
    return (await this.database.write((tx) => tx.run(sql, params))) > 0;
  }
}

function* endBy(
  tx: Tx,
  id: string,
  runner: string,
  { state, progress, error, receipt }: DataJobEnd,
  now: Date,
): Work<boolean> {
  const changed = yield* tx.run(
    `UPDATE data_jobs SET state = ?, progress = ?, error = ?, receipt = ?, ended_at = ?, runner = NULL,
       lease_until = NULL
     WHERE id = ? AND runner = ? AND state = 'running'`,
    [
      ...[state, JSON.stringify(progress), error === null ? null : storable(error), receipt],
      ...[now.getTime(), id, runner],
    ],
  );
  return changed > 0;
}

/** Whether a job was not canceled. */
function* isKept(tx: Tx, id: string): Work<boolean> {
  const rows = yield* tx.all(`SELECT 1 FROM data_jobs WHERE id = ? AND state <> 'canceled'`, [id]);
  return rows.length > 0;
}

function toJob({ owner, ...row }: Omit<DataJobEntity, 'runner' | 'leaseUntil'>): DataJob {
  return { ...row, owner: ownerOf(owner) };
}

function ownerOf(key: string): DataOwner {
  const [kind] = key.split(' ', 1);
  const name = key.slice(key.indexOf(' ') + 1);
  return kind === 'organization' ? { organization: name } : { principal: name };
}
