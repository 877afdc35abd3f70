import { HubError } from '../common/hub-error.js';
import { Spread } from '../common/spread.js';
import { codeOf, isDatabaseTrouble } from './dialect.js';

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** The connections of a pool. */
export interface PoolUse {
  readonly busy: number;
  readonly idle: number;
  /** Works that wait for a connection. */
  readonly waiting: number;
}

/** How long the database takes, in seconds, and what it could not do, since the process began. */
export class DatabaseTimes {
  /** From when a write is asked for until it begins. */
  readonly waits = new Spread(BUCKETS);
  /** From when a write is asked for until it is durable. */
  readonly writes = new Spread(BUCKETS);
  /** One transaction; on SQLite it holds the event loop. */
  readonly transactions = new Spread(BUCKETS);
  /** One query outside of writes; on SQLite it holds the event loop. */
  readonly reads = new Spread(BUCKETS);
  readonly failures = { read: 0, write: 0 };

  /** Counts what the database could not do; what the hub itself refuses in a write is none of it. */
  failed(kind: 'read' | 'write', error: unknown): void {
    if (error instanceof HubError) return;
    if (codeOf(error) !== '' || isDatabaseTrouble(error)) this.failures[kind] += 1;
  }
}

/** Seconds since then, by `performance.now()`. */
export function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}
