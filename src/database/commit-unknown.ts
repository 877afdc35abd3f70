import { HubError } from '../common/hub-error.js';
import { codeOf } from './dialect.js';

/**
 * A write failed while its commit was on its way (the connection broke, the disk did not say that it keeps it): whether it was made
 * is not known. Its cause says what failed.
 */
export class CommitUnknown extends HubError {
  /** That of the cause. */
  readonly code: string;

  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const reason = cause instanceof HubError ? cause.reason : 'UNAVAILABLE';
    super(reason, `It is not known whether a commit was made: ${why}`, { cause });
    this.code = codeOf(cause);
  }
}

/** Whether a server has refused a COMMIT: then it was not made. Any other error says nothing of that. */
export function isRefusedCommit(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === 'ERROR';
}
