import type { ClientBase, QueryConfig } from 'pg';
import { UnavailableError } from '../common/hub-error.js';

/** How long PostgreSQL is waited for, in milliseconds. */
export interface PostgresBounds {
  /** For a new connection, and for a free one of the pool while all are in use. */
  readonly connectMs: number;
  /** The server itself ends a statement that runs longer, and a transaction in which nothing comes for so long. */
  readonly statementMs: number;
  /** Longer than that: a server that has not answered a statement by then is silent, and its connection is given up. */
  readonly answerMs: number;
  /** For the whole of a health check. */
  readonly checkMs: number;
}

/** Those of the hub, for reads and works. Migrations take as long as they take. */
export const POSTGRES_BOUNDS: PostgresBounds = {
  connectMs: 15_000,
  statementMs: 60_000,
  answerMs: 70_000,
  checkMs: 5_000,
};

/** A connection on which nothing comes is asked by the system whether the other side is still there, after so long. */
export const KEEP_ALIVE_MS = 10_000;

/** What a driver says of an answer that has not come in time. It has no code of its own. */
const NO_ANSWER = 'Query read timeout';

/** PostgreSQL has not answered in time. Whatever it was to do, it may have done. */
export class SilentServer extends UnavailableError {
  /** As a connection says it that has got no answer. */
  readonly code = 'ETIMEDOUT';

  constructor(afterMs: number, cause?: unknown) {
    super(`PostgreSQL has not answered for ${afterMs / 1000} s`, { cause });
  }
}

/**
 * Lets the server itself end what takes too long on this connection, so that what a process gives up does not go on there and
 * holds no locks. A shorter limit, of the role or of `database.url`, stays. Rejects when the server does not answer.
 */
export async function limitStatements(
  client: Pick<ClientBase, 'query'>,
  { statementMs, connectMs }: PostgresBounds,
): Promise<void> {
  const query: QueryConfig & { query_timeout: number } = {
    text: `SELECT set_config(name, $1, false) FROM pg_settings
      WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout')
        AND CAST(setting AS bigint) NOT BETWEEN 1 AND CAST($1 AS bigint)`,
    values: [String(statementMs)],
    query_timeout: connectMs,
  };
  await client.query(query).catch((error: unknown) => {
    throw silentOr(error, connectMs);
  });
}

/** {@link SilentServer} for an answer that has not come within `ms`; any other error stays itself. */
export function silentOr(error: unknown, ms: number): unknown {
  return error instanceof Error && error.message === NO_ANSWER
    ? new SilentServer(ms, error)
    : error;
}

/** As `promise`, but {@link SilentServer} once `ms` are over. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SilentServer(ms)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
