import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { KeptValue } from '../common/kept-value.js';
import type { Spread } from '../common/spread.js';
import { Database } from '../database/database.js';
import { Metrics } from './metrics.js';

/** The database is asked whether it answers no more often than this. */
const CHECK_EVERY_MS = 5000;

/** How the database does, as numbers. */
@Injectable()
export class DatabaseMetrics implements OnModuleInit {
  private readonly check: KeptValue<boolean>;

  constructor(
    private readonly metrics: Metrics,
    private readonly database: Database,
    clock: Clock,
  ) {
    const read = (): Promise<boolean> =>
      database.check().then(
        () => true,
        () => false,
      );
    const rules = { freshMs: CHECK_EVERY_MS, keptMs: CHECK_EVERY_MS, failureMs: 0 };
    this.check = new KeptValue({ read, ...rules }, clock);
  }

  onModuleInit(): void {
    const { metrics, database } = this;
    const { times } = database;
    metrics.gauge(
      'database_up',
      '1 while the database answers and its schema is that of this version.',
      [],
      async (give) => give({}, (await this.check.get()) ? 1 : 0),
    );
    const seconds = (name: string, help: string, spread: Spread): void =>
      metrics.spreads(`database_${name}_seconds`, help, [], (give) => give({}, spread));
    seconds(
      'write_wait',
      'Seconds a write waited until it began: for the one before on SQLite, for a connection on PostgreSQL.',
      times.waits,
    );
    seconds('write', 'Seconds from when a write was asked for until it was durable.', times.writes);
    seconds(
      'transaction',
      'Seconds a transaction took; on SQLite it holds the event loop, and has the writes of many.',
      times.transactions,
    );
    seconds(
      'read',
      'Seconds a query outside of writes took; on SQLite it holds the event loop.',
      times.reads,
    );
    metrics.totals(
      'database_failures_total',
      'Reads and writes that the database did not do (not those that the hub refused).',
      ['kind'],
      (give) => {
        give({ kind: 'read' }, times.failures.read);
        give({ kind: 'write' }, times.failures.write);
      },
    );
    metrics.gauge(
      'database_connections',
      'Connections of this process to PostgreSQL, by state; waiting: works that wait for one.',
      ['state'],
      (give) => {
        for (const [state, count] of Object.entries(database.pool ?? {}))
          give({ state }, count as number);
      },
    );
  }
}
