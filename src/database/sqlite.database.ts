import type BetterSqlite3 from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LONG, tookLong } from '../common/long-work.js';
import { Database, type Durability, type Room, databaseClosed } from './database.js';
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

/** Works in one COMMIT at most, so that a flood of them cannot hold the event loop. */
const MAX_WORKS_PER_COMMIT = 256;
/** What `PRAGMA synchronous` gives when every COMMIT waits for the disk. */
const FULL = 2;
/** Characters of one COMMIT from which what follows it has turns of its own, and the log is copied at once. */
const LARGE = LONG / 4;
/** Prepared statements kept; the hub's own are far fewer. */
const MAX_STATEMENTS = 1000;

interface QueuedWork {
  readonly work: (tx: Tx) => Work<unknown>;
  readonly durability: Durability;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * SQLite in one file, for one process. The works asked for in one turn of the event loop become one
 * synchronous transaction (each in a savepoint of its own), so they share one fsync and nothing can
 * slip in between on the shared connection.
 */
export class SqliteDatabase extends Database {
  readonly dialect = 'sqlite';
  private readonly connection: BetterSqlite3.Database;
  private readonly statements = new Map<string, BetterSqlite3.Statement>();
  private readonly tx = txFor('sqlite');
  /** Commits wait for the disk, unless all their works may be lost. */
  private readonly isFull: boolean;
  private queue: QueuedWork[] = [];
  private flushed: Promise<void> = Promise.resolve();
  /** A commit is going to happen, or its large one has not been followed up yet. */
  private isScheduled = false;
  private closed = false;
  /** Characters of texts given to statements since the last COMMIT. */
  private written = 0;

  constructor(
    readonly dataSource: DataSource,
    private readonly lock: SqliteLock | null,
  ) {
    super();
    this.connection = (
      dataSource.driver as unknown as { databaseConnection: BetterSqlite3.Database }
    ).databaseConnection;
    this.isFull = this.connection.pragma('synchronous', { simple: true }) === FULL;
  }

  write<T>(work: (tx: Tx) => Work<T>, durability: Durability = 'durable'): Promise<T> {
    if (this.closed) return Promise.reject(databaseClosed());
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ work, durability, resolve, reject });
      if (!this.isScheduled) this.scheduleFlush();
    });
  }

  read<R>(
    sql: string,
    params: readonly SqlValue[] = [],
    isEnough?: (row: R) => boolean,
  ): Promise<R[]> {
    if (this.closed) return Promise.reject(databaseClosed());
    return new Promise((resolve) => resolve(this.query(sql, params, isEnough)));
  }

  async check(): Promise<void> {
    const pending = await pendingMigrations(this);
    if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`);
  }

  async room(): Promise<Room | null> {
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
    this.statements.clear();
    await this.dataSource.destroy();
    this.lock?.release();
  }

  private scheduleFlush(): void {
    this.isScheduled = true;
    this.flushed = new Promise((done) => {
      setImmediate(() => {
        const began = performance.now();
        const answers = this.queue.length > 0 ? this.flush() : [];
        if (this.written >= LARGE) tookLong(performance.now() - began);
        const goOn = (): void => {
          while (this.closed && this.queue.length > 0) answerAll(this.flush());
          this.isScheduled = false;
          if (this.queue.length > 0) this.scheduleFlush();
          done();
        };
        if (this.written >= LARGE) return void this.afterLarge(answers).then(goOn, goOn);
        answerAll(answers);
        goOn();
      });
    });
  }

  /**
   * What was large has taken its turn: who waits for it goes on in the next, and then the write-ahead log is
   * copied into the file, so that it never has much to copy within a COMMIT. What keeps it from being copied
   * now is told by a later one.
   */
  private async afterLarge(answers: readonly (() => void)[]): Promise<void> {
    await nextTurn();
    answerAll(answers);
    await nextTurn();
    const began = performance.now();
    this.connection.pragma('wal_checkpoint(PASSIVE)');
    tookLong(performance.now() - began);
  }

  /** One transaction of everything queued; gives what tells those who wait for it. */
  private flush(): (() => void)[] {
    this.written = 0;
    const group = this.queue.splice(0, MAX_WORKS_PER_COMMIT);
    const answers: (() => void)[] = [];
    const relaxes = this.isFull && group.every(({ durability }) => durability === 'may-be-lost');
    try {
      // The next COMMIT that waits brings this one to the disk as well: they are one log.
      if (relaxes) this.connection.pragma('synchronous = NORMAL');
      this.execute({ sql: 'BEGIN IMMEDIATE', params: [] });
      for (const item of group) answers.push(this.attempt(item, group.length > 1));
      this.execute({ sql: 'COMMIT', params: [] });
    } catch (error) {
      for (const item of group) item.reject(error);
      if (this.connection.inTransaction) this.execute({ sql: 'ROLLBACK', params: [] });
      return [];
    } finally {
      if (relaxes) this.connection.pragma('synchronous = FULL');
    }
    return answers;
  }

  /** Runs one work; its failure takes back its own statements and no other's. */
  private attempt(item: QueuedWork, shared: boolean): () => void {
    if (shared) this.execute({ sql: 'SAVEPOINT work', params: [] });
    try {
      const value = this.drive(item.work);
      if (shared) this.execute({ sql: 'RELEASE work', params: [] });
      return () => item.resolve(value as never);
    } catch (error) {
      // Disk full, I/O error and their like make SQLite roll back by itself: then nobody's work is in.
      if (!shared || !this.connection.inTransaction) throw error;
      this.execute({ sql: 'ROLLBACK TO work', params: [] });
      this.execute({ sql: 'RELEASE work', params: [] });
      return () => item.reject(error);
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

  private prepare(sql: string): BetterSqlite3.Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.connection.prepare(sql);
      if (this.statements.size >= MAX_STATEMENTS) {
        const oldest = this.statements.keys().next();
        if (!oldest.done) this.statements.delete(oldest.value);
      }
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

function answerAll(answers: readonly (() => void)[]): void {
  for (const answer of answers) answer();
}
