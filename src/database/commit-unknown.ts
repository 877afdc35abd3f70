import { HubError } from '../common/hub-error.js';
import { codeOf } from './dialect.js';

/** Connection, unknown completion, shutdown, system and internal errors; and `EPIPE`, which has five letters, too. */
const COMMIT_REFUSED = /^(?!08|40003|57P|58|XX|E)[0-9A-Z]{5}$/;

/** In place of what a driver says. */
const NOT_SAID =
  'The database has not said whether it has kept the change: look whether it was made before you try again.';

/**
 * A write failed while its commit was on its way (the connection broke, the disk did not say that it keeps it): whether it was made
 * is not known. Its cause says what failed.
 */
export class CommitUnknown extends HubError {
  /** That of the cause. */
  readonly code: string;

  constructor(cause: unknown) {
    const own = cause instanceof HubError ? cause.message : NOT_SAID;
    super('UNAVAILABLE', own, { cause });
    this.code = codeOf(cause);
  }
}

/**
 * Whether a PostgreSQL server has refused a COMMIT, by its SQLSTATE: then it was not made. Any other error says nothing of that.
 * (Its severity is in the language of the server.)
 */
export function isRefusedCommit(error: unknown): boolean {
  return COMMIT_REFUSED.test(codeOf(error));
}
