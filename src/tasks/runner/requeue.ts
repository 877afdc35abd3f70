import { HubError } from '../../common/hub-error.js';
import { decideRequeue } from '../domain/unsent.js';
import { FencedError } from '../log/task-log.js';
import type { ClaimedDelegation } from '../store/claimed-task.js';
import type { RunDeps } from './run-deps.js';

/**
 * Returns a delegation whose message has not been sent to the queue, for the next claim; false when that could
 * not be written. Never rejects.
 */
export async function requeue(
  { log, logger }: Pick<RunDeps, 'log' | 'logger'>,
  { id, taskId, epoch, adopted }: ClaimedDelegation,
): Promise<boolean> {
  if (adopted) return true;
  try {
    await log.update(
      taskId,
      (aggregate) => ({ change: decideRequeue(aggregate, id), result: undefined }),
      { delegationId: id, epoch },
    );
    return true;
  } catch (error) {
    if (error instanceof FencedError) return true;
    const known = error instanceof HubError ? error.reason : undefined;
    logger.warn(
      { err: error, taskId, delegationId: id, reason: known },
      'returning a delegation to the queue failed; it stays claimed until its lease expires',
    );
    return false;
  }
}
