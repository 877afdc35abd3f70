import type { Pool, PoolClient, QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import { CommitUnknown, isRefusedCommit } from './commit-unknown.js';
import { Database, databaseClosed } from './database.js';
import { type PoolUse, secondsSince } from './database-times.js';
import { plainTrouble } from './database-trouble.js';
import { isRetryable } from './dialect.js';
import { pendingMigrations } from './pending-migrations.js';
import { numbered } from './placeholders.js';
import {
  POSTGRES_BOUNDS,
  type PostgresBounds,
  SilentServer,
  silentOr,
  within,
} from './postgres-bounds.js';
import {
  txFor,
  type SqlResult,
  type SqlStatement,
  type SqlValue,
  type Tx,
  type Work,
} from './sql.js';

/** How often a work that lost against another one is run again before it counts as failed. */
const MAX_RETRIES = 5;
const INT8 = 20;
const NUMERIC = 1700;

const BEGIN: SqlStatement = { sql: 'BEGIN ISOLATION LEVEL READ COMMITTED', params: [] };
const COMMIT: SqlStatement = { sql: 'COMMIT', params: [] };
const ROLLBACK: SqlStatement = { sql: 'ROLLBACK', params: [] };

/** Counts and times as numbers (both stay far below 2^53); everything else as `pg` has it. */
type Parser = (value: string) => unknown;
interface TypeParsers {
  getTypeParser(oid: number, format?: string): Parser;
}

/** A statement as the driver takes it. */
interface PgQuery {
  readonly text: string;
  readonly values: SqlValue[];
  readonly types: TypeParsers;
  readonly query_timeout: number;
}

/** PostgreSQL, shared by any number of processes. Each work has a connection of its own. */
export class PostgresDatabase extends Database {
  readonly dialect = 'postgres';
  private readonly connections: Pool;
  private readonly types: TypeParsers;
  private readonly tx = txFor('postgres');
  /** What {@link close} waits for: a pool that ends under a request for a connection never answers it. */
  private readonly underWay = new Set<Promise<unknown>>();
  /** The health check under way: each takes a connection. */
  private checking: Promise<string[]> | undefined;
  private closed = false;

  constructor(
    readonly dataSource: DataSource,
    private readonly bounds: PostgresBounds = POSTGRES_BOUNDS,
  ) {
    super();
    const driver = dataSource.driver as unknown as {
      master: Pool;
      postgres: { types: TypeParsers };
    };
    this.connections = driver.master;
    const standard = driver.postgres.types;
    this.types = {
      getTypeParser: (oid, format) =>
        oid === INT8 || oid === NUMERIC ? Number : standard.getTypeParser(oid, format),
    };
  }

  override get pool(): PoolUse {
    const { totalCount, idleCount: idle, waitingCount: waiting } = this.connections;
    return { busy: totalCount - idle, idle, waiting };
  }

  write<T>(work: (tx: Tx) => Work<T>): Promise<T> {
    const began = performance.now();
    const written = this.track(() => this.untilDone(work));
    return written.then(
      (value) => {
        this.times.writes.observe(secondsSince(began));
        return value;
      },
      (error: unknown) => {
        this.times.failed('write', error);
        throw plainTrouble(error);
      },
    );
  }

  read<R>(sql: string, params: readonly SqlValue[] = []): Promise<R[]> {
    return this.readWithin({ sql, params }, this.bounds.answerMs);
  }

  private async readWithin<R>(statement: SqlStatement, ms: number): Promise<R[]> {
    const began = performance.now();
    try {
      // The pool does not keep a connection whose query has failed.
      const result = await this.track(() => this.connections.query(this.query(statement, ms)));
      return result.rows as R[];
    } catch (thrown) {
      const error = silentOr(thrown, ms);
      this.times.failed('read', error);
      throw plainTrouble(error);
    } finally {
      this.times.reads.observe(secondsSince(began));
    }
  }

  async check(): Promise<void> {
    const { checkMs } = this.bounds;
    const read = <R>(sql: string): Promise<R[]> => this.readWithin({ sql, params: [] }, checkMs);
    this.checking ??= pendingMigrations(this.dataSource, { read }).finally(
      () => (this.checking = undefined),
    );
    const pending = await within(checkMs, this.checking);
    if (pending.length > 0) throw new Error(`migrations are pending: ${pending.join(', ')}`);
  }

  diskSpace(): Promise<null> {
    return Promise.resolve(null);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await Promise.allSettled(this.underWay);
    await this.dataSource.destroy();
  }

  private track<T>(start: () => Promise<T>): Promise<T> {
    if (this.closed) return Promise.reject(databaseClosed());
    const promise = start();
    this.underWay.add(promise);
    const done = (): boolean => this.underWay.delete(promise);
    promise.then(done, done);
    return promise;
  }

  private async untilDone<T>(work: (tx: Tx) => Work<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.transaction(work);
      } catch (error) {
        if (!isRetryable(error) || attempt >= MAX_RETRIES) throw error;
      }
    }
  }

  private async transaction<T>(work: (tx: Tx) => Work<T>): Promise<T> {
    const requestedAt = performance.now();
    const client = await this.connections.connect();
    const began = performance.now();
    this.times.waits.observe((began - requestedAt) / 1000);
    // A connection that breaks between two statements says so by event; the next statement rejects.
    client.on('error', ignore);
    let broken = false;
    try {
      await this.send(client, BEGIN);
      const value = await this.drive(client, work);
      await this.commit(client);
      return value;
    } catch (error) {
      broken = isSilence(error) || !(await this.rolledBack(client));
      throw error;
    } finally {
      this.times.transactions.observe(secondsSince(began));
      client.off('error', ignore);
      client.release(broken);
    }
  }

  private async drive<T>(client: PoolClient, work: (tx: Tx) => Work<T>): Promise<T> {
    const steps = work(this.tx);
    let step = steps.next();
    while (!step.done) {
      let result: SqlResult;
      try {
        result = toResult(await this.send(client, step.value));
      } catch (error) {
        steps.return(undefined as never);
        throw error;
      }
      step = steps.next(result);
    }
    return step.value;
  }

  private async commit(client: PoolClient): Promise<void> {
    try {
      await this.send(client, COMMIT);
    } catch (error) {
      throw isRefusedCommit(error) ? error : new CommitUnknown(error);
    }
  }

  private async rolledBack(client: PoolClient): Promise<boolean> {
    try {
      await this.send(client, ROLLBACK);
      return true;
    } catch {
      return false;
    }
  }

  /** Rejects with {@link SilentServer} when no answer comes: the connection is of no use then. */
  private async send(client: PoolClient, statement: SqlStatement): Promise<QueryResult> {
    const { answerMs } = this.bounds;
    try {
      return await client.query(this.query(statement, answerMs));
    } catch (error) {
      throw silentOr(error, answerMs);
    }
  }

  private query({ sql, params }: SqlStatement, withinMs: number): PgQuery {
    return {
      text: numbered(sql),
      values: params as SqlValue[],
      types: this.types,
      query_timeout: withinMs,
    };
  }
}

/** The connection has given no answer, be it to the commit. */
function isSilence(error: unknown): boolean {
  return error instanceof SilentServer || (error as Error | null)?.cause instanceof SilentServer;
}

function toResult(result: QueryResult): SqlResult {
  return {
    rows: result.rows as Record<string, unknown>[],
    changes: result.rowCount ?? 0,
  };
}

function ignore(): void {}
