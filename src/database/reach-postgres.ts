import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { databaseLocation } from '../common/database-url.js';
import type { Log } from '../common/logger.js';
import { within } from './postgres-bounds.js';

/** What is said while a server is not there yet, or is starting. */
const NOT_YET: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
  '57P03',
]);
/** The server is there, and has no database of that name. */
const NO_DATABASE = '3D000';
/** What a driver says, without a code, of a server that takes a connection and does not answer. */
const SILENT = /timeout expired|connection timeout|timeout exceeded/i;
/** However little is left of the wait, an attempt has so long. */
const LEAST_ATTEMPT_MS = 1000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2000;
/** How often it is logged that the hub waits. */
const SAY_EVERY_MS = 10_000;

/**
 * Connects to PostgreSQL, in `attemptMs` at most for each attempt. A server that cannot be reached, does not answer or is starting
 * is tried again for `waitMs`, with a line in the log; one that has no such database, or refuses, is not. Throws a sentence for the operator that names the server, without its password.
 */
export async function reachPostgres(
  open: () => Promise<DataSource>,
  url: string,
  waitMs: number,
  attemptMs: number,
  log?: Log,
): Promise<DataSource> {
  const since = performance.now();
  let saidAt = -Infinity;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const leftMs = waitMs - (performance.now() - since);
      return await inTime(open, Math.max(LEAST_ATTEMPT_MS, Math.min(attemptMs, leftMs)));
    } catch (cause) {
      const { code, message } = cause as { code?: string; message?: string };
      const waited = performance.now() - since;
      const why = message || code || String(cause);
      if (!NOT_YET.has(code) && !SILENT.test(why))
        throw refused(
          url,
          code === NO_DATABASE ? `${why}; make it (createdb), or name another` : why,
          cause,
        );
      if (waited + pauseMs > waitMs) throw unreachable(url, why, waitMs, cause);
      if (performance.now() - saidAt >= SAY_EVERY_MS) {
        saidAt = performance.now();
        const leftSeconds = Math.round((waitMs - waited) / 1000);
        log?.warn(
          { database: databaseLocation(url), reason: why, leftSeconds },
          'the database cannot be reached yet; retrying',
        );
      }
      await pause(pauseMs);
    }
  }
}

/** What is opened too late is closed again. */
async function inTime(open: () => Promise<DataSource>, ms: number): Promise<DataSource> {
  const opening = open();
  try {
    return await within(ms, opening);
  } catch (error) {
    opening.then(
      (late) => void late.destroy().catch(() => undefined),
      () => undefined,
    );
    throw error;
  }
}

function unreachable(url: string, why: string, waitMs: number, cause: unknown): Error {
  const text = `the database ${databaseLocation(url)} could not be reached for ${Math.round(waitMs / 1000)} s (${why}): start it, or set database.url (A2A_HUB__DATABASE__URL).`;
  return new Error(text, { cause });
}

function refused(url: string, why: string, cause: unknown): Error {
  return new Error(
    `the database ${databaseLocation(url)} (database.url) cannot be opened: ${why}.`,
    {
      cause,
    },
  );
}
