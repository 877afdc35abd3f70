import { HubError, UnavailableError } from '../common/hub-error.js';
import { codeOf, isDatabaseTrouble } from './dialect.js';

/** The database is away, full, locked or damaged: no statement is to blame. What was to be written is not. */
export class DatabaseTrouble extends UnavailableError {
  /** That of the cause. */
  readonly code: string;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = codeOf(cause);
  }
}

/** What a driver threw, as {@link DatabaseTrouble} where the database itself is in trouble; whatever else it is stays itself. */
export function plainTrouble<E>(error: E): E | DatabaseTrouble {
  if (error instanceof HubError || error instanceof DatabaseTrouble) return error;
  return isDatabaseTrouble(error) ? new DatabaseTrouble(error) : error;
}
