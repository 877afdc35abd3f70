import type { DataSource } from 'typeorm';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqliteConnection, SqliteStatement } from './better-sqlite3.js';
import type { Log } from '../common/logger.js';
import { LONG, tookLong } from '../common/long-work.js';
import { evictOldest } from '../common/evict-oldest.js';
import { CommitUnknown } from './commit-unknown.js';
import { Database, type Durability, type DiskSpace, databaseClosed } from './database.js';
import { secondsSince } from './database-times.js';
import { plainTrouble } from './database-trouble.js';
import { diskSyncOf } from './disk-sync.js';
import { pendingMigrations } from './pending-migrations.js';
import {
  txFor,
  type SqlResult,
  type SqlStatement,
  type SqlValue,
  type Tx,
  type Work,
} from './sql.js';
import type { SqliteLock } from './sqlite-lock.js';
import { WriteAheadLog } from './write-ahead-log.js';

/** Works in one COMMIT at most, so that a flood of them cannot hold the event loop. */
const MAX_WORKS_PER_COMMIT = 256;
/** What `PRAGMA synchronous` gives when every COMMIT waits for the disk. */
const FULL = 2;
/** Characters of one COMMIT from which it counts as long work, and the log is copied sooner. */
const LARGE = LONG / 4;
/** Prepared statements kept; the hub's own are far fewer. */
const MAX_STATEMENTS = 1000;

interface QueuedWork {
  readonly work: (tx: Tx) => Work<unknown>;
  readonly durability: Durability;
  /** When it was asked for, by `performance.now()`. */
  readonly queuedAt: number;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * SQLite in one file, for one process. The works asked for in one turn of the event loop, or while the
 * last commit was on its way to the disk, become one synchronous transaction (each in a savepoint of its
 * own), so they share one fsync and nothing can slip in between on the shared connection. The event loop
 * does not wait for the disk: the works of a commit do, and reads, which may show it.
 */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite';
  private readonly connection: SqliteConnection;
  private readonly statements = new Map<string, SqliteStatement>();
  private readonly tx = txFor('sqlite');
  /** Null where SQLite itself waits for the disk, or there is none. */
  private readonly log: WriteAheadLog | null;
  /** Commits wait for the disk, unless all their works may be lost. */
  private readonly isFull: boolean;
  private queue: QueuedWork[] = [];
  private flushed: Promise<void> = Promise.resolve();
  /** What is queued is being taken. */
  private isFlushing = false;
  private closed = false;
  /** Set once the database cannot be gone on with: all that comes is refused with it. */
  private failure: Error | null = null;
  /** Characters of texts given to statements since the last COMMIT. */
  private written = 0;

  constructor(
    readonly dataSource: DataSource,
    private readonly lock: SqliteLock | null,
    diskSync = diskSyncOf,
    log?: Log,
  ) {
    super();
    this.connection = (
      dataSource.driver as unknown as { databaseConnection: SqliteConnection }
    ).databaseConnection;
    this.isFull = this.connection.pragma('synchronous', { simple: true }) === FULL;
    const disk = diskSync(this.connection);
    const failed = (error: Error): void => void (this.failure ??= error);
    const notCopied = (err: Error): void =>
      log?.warn({ err }, 'the write-ahead log could not be copied; it grows until it can be');
    this.log = disk === null ? null : new WriteAheadLog(this.connection, disk, failed, notCopied);
  }

  write<T>(work: (tx: Tx) => Work<T>, durability: Durability = 'durable'): Promise<T> {
    const refusal = this.refusal();
    if (refusal !== null) return Promise.reject(refusal);
    return new Promise<T>((resolve, reject) => {
      const queuedAt = performance.now();
      this.queue.push({ work, durability, queuedAt, resolve, reject });
      if (!this.isFlushing) this.flushed = this.flushAll();
    });
  }

  async read<R>(
    sql: string,
    params: readonly SqlValue[] = [],
    isEnough?: (row: R) => boolean,
  ): Promise<R[]> {
    const refusal = this.refusal();
    if (refusal !== null) throw refusal;
    const rows = this.timedQuery(sql, params, isEnough);
    // They may have come from a commit that is not on the disk yet.
    const pending = this.log?.pending;
    if (pending) {
      await pending.catch((error: unknown) => {
        throw plainTrouble(error);
      });
    }
    return rows;
  }

  async check(): Promise<void> {
    const pending = await pendingMigrations(this.dataSource, this);
    if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`);
  }

  async diskSpace(): Promise<DiskSpace | null> {
    if (this.closed || this.connection.memory) return null;
    const { bavail, bsize } = await statfs(dirname(this.connection.name));
    if (this.closed) return null;
    const pragma = (name: string): number => Number(this.connection.pragma(name, { simple: true }));
    const reusable = pragma('freelist_count') * pragma('page_size');
    const used = pragma('page_count') * pragma('page_size') - reusable;
    return { free: bavail * bsize, reusable, used };
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.flushed;
    await this.log?.pending?.catch(() => {});
    await this.log?.endCopies();
    if (this.failure !== null) this.log?.keep();
    this.statements.clear();
    await this.dataSource.destroy();
    this.log?.close();
    this.lock?.release();
  }

  private refusal(): Error | null {
    return this.closed ? databaseClosed() : this.failure && plainTrouble(this.failure);
  }

  /** Takes what is queued, group by group, until nothing is. */
  private async flushAll(): Promise<void> {
    this.isFlushing = true;
    while (this.queue.length > 0) {
      // What is asked for in this turn of the event loop becomes one group.
      await nextTurn();
      const group = this.queue.splice(0, MAX_WORKS_PER_COMMIT);
      try {
        const isLarge = this.flush(group);
        await this.log?.copyIfLong(isLarge);
      } catch (error) {
        // Neither a statement nor a COMMIT: the database cannot be gone on with.
        this.failure ??= error as Error;
        this.refuse(group, this.failure);
      }
    }
    this.isFlushing = false;
  }

  /** Commits the group, and reports to each when it is on the disk; returns whether it was large. */
  private flush(group: readonly QueuedWork[]): boolean {
    this.written = 0;
    const began = performance.now();
    const { times } = this;
    for (const { queuedAt } of group) times.waits.observe((began - queuedAt) / 1000);
    const reports = this.failure === null ? this.commit(group) : this.refuse(group, this.failure);
    times.transactions.observe(secondsSince(began));
    const isLarge = this.written >= LARGE;
    if (isLarge) tookLong(performance.now() - began);
    if (reports.length > 0) this.report(group, reports, isLarge);
    return isLarge;
  }

  private report(
    group: readonly QueuedWork[],
    reports: readonly (() => void)[],
    isLarge: boolean,
  ): void {
    const reportAll = (): void => {
      for (const report of reports) report();
      for (const { queuedAt } of group) this.times.writes.observe(secondsSince(queuedAt));
    };
    if (this.log === null) return reportAll();
    const before = this.log.pending;
    const waits = this.isFull && group.some(({ durability }) => durability === 'durable');
    // Also where nothing waits for a large group: the next one should not have to wait for all of it.
    const synced = waits || isLarge ? this.log.sync() : null;
    if (synced !== null) void this.watch(synced, isLarge);
    const awaited = waits ? synced : before;
    if (awaited === null) reportAll();
    // In the order of the commits.
    else awaited.then(reportAll, (error: Error) => this.refuse(group, new CommitUnknown(error)));
  }

  private async watch(sync: Promise<void>, isLarge: boolean): Promise<void> {
    const began = performance.now();
    try {
      await sync;
    } catch (error) {
      this.failure ??= error as Error;
    }
    // The disk is as much in use as the event loop would be.
    if (isLarge) tookLong(performance.now() - began);
  }

  private refuse(group: readonly QueuedWork[], error: Error): [] {
    for (const item of group) {
      this.times.failed('write', error);
      item.reject(plainTrouble(error));
    }
    return [];
  }

  /** One transaction of the group; returns what reports to each how it went; nothing when the transaction failed. */
  private commit(group: readonly QueuedWork[]): readonly (() => void)[] {
    const reports: (() => void)[] = [];
    try {
      this.execute({ sql: 'BEGIN IMMEDIATE', params: [] });
      for (const item of group) reports.push(this.attempt(item, group.length > 1));
      this.execute({ sql: 'COMMIT', params: [] });
    } catch (error) {
      if (this.connection.inTransaction) this.execute({ sql: 'ROLLBACK', params: [] });
      return this.refuse(group, error as Error);
    }
    return reports;
  }

  /** Runs one work; its failure takes back its own statements and no other's. */
  private attempt(item: QueuedWork, shared: boolean): () => void {
    if (shared) this.execute({ sql: 'SAVEPOINT work', params: [] });
    try {
      const value = this.drive(item.work);
      if (shared) this.execute({ sql: 'RELEASE work', params: [] });
      return () => item.resolve(value as never);
    } catch (error) {
      // Disk full, I/O error and their like make SQLite roll back by itself: then no work is in.
      if (!shared || !this.connection.inTransaction) throw error;
      this.execute({ sql: 'ROLLBACK TO work', params: [] });
      this.execute({ sql: 'RELEASE work', params: [] });
      return () => item.reject(plainTrouble(error));
    }
  }

  private drive<T>(work: (tx: Tx) => Work<T>): T {
    const steps = work(this.tx);
    let step = steps.next();
    while (!step.done) {
      let result: SqlResult;
      try {
        result = this.execute(step.value);
      } catch (error) {
        steps.return(undefined as never);
        throw error;
      }
      step = steps.next(result);
    }
    return step.value;
  }

  private execute({ sql, params }: SqlStatement): SqlResult {
    const statement = this.prepare(sql);
    for (const param of params) if (typeof param === 'string') this.written += param.length;
    if (statement.reader) {
      const rows = statement.all(params) as Record<string, unknown>[];
      return { rows, changes: rows.length };
    }
    return { rows: [], changes: statement.run(params).changes };
  }

  private timedQuery<R>(
    sql: string,
    params: readonly SqlValue[],
    isEnough: ((row: R) => boolean) | undefined,
  ): R[] {
    const began = performance.now();
    try {
      return this.query(sql, params, isEnough);
    } catch (error) {
      this.times.failed('read', error);
      throw plainTrouble(error);
    } finally {
      this.times.reads.observe(secondsSince(began));
    }
  }

  private query<R>(
    sql: string,
    params: readonly SqlValue[],
    isEnough: ((row: R) => boolean) | undefined,
  ): R[] {
    const statement = this.prepare(sql);
    if (!statement.readonly) throw new Error(`not a query: ${sql}`);
    if (isEnough === undefined) return statement.all(params) as R[];
    const rows: R[] = [];
    for (const row of statement.iterate(params) as IterableIterator<R>) {
      rows.push(row);
      if (isEnough(row)) break;
    }
    return rows;
  }

  private prepare(sql: string): SqliteStatement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      evictOldest(this.statements, MAX_STATEMENTS);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}
