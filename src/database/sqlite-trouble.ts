import { sqlitePath } from './data-source.js';
import { codeOf, isBusy, isNoDatabase } from './dialect.js';

const LOCKED = 'another program holds a lock on it: end that first';

/** What an operator does about it. */
const ADVICE: readonly (readonly [isIt: (error: unknown) => boolean, advice: string])[] = [
  [
    isNoDatabase,
    'it is damaged, or no SQLite database: bring it back from a backup (docs/operate.md), or name another by database.url',
  ],
  [
    isOf(/^SQLITE_(CANTOPEN|READONLY|IOERR|PERM|AUTH)/),
    'it has to be a file that this user may read and write, in a folder where it may make others (database.url)',
  ],
  [isOf(/^SQLITE_FULL/), 'its disk is full'],
  [isBusy, LOCKED],
  [isOf(/^SQLITE_PROTOCOL/), LOCKED],
];

/**
 * What was thrown, as a sentence for the operator where the SQLite file of `url` is at fault; whatever else it is stays
 * itself.
 */
export function plainSqliteTrouble(thrown: unknown, url: string): unknown {
  const path = sqlitePath(url);
  const { code, message } = (thrown ?? {}) as { code?: unknown; message?: unknown };
  if (path === null || typeof code !== 'string') return thrown;
  const advice = ADVICE.find(([isIt]) => isIt(thrown))?.[1];
  if (advice === undefined) return thrown;
  const text = `the database ${path} cannot be used: ${String(message)} (${code}); ${advice}.`;
  return new Error(text, { cause: thrown });
}

function isOf(codes: RegExp): (error: unknown) => boolean {
  return (error) => codes.test(codeOf(error));
}
