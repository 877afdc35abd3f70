import type { Clock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { Why } from '../domain/end-delegation.js';
import { decideTaskFailed } from '../domain/task-decisions.js';
import type { Waiting } from './decisions.js';
import { TaskTooLargeError } from './size-limit.js';

const UNSTORED = 'An update could not be stored';

/** What ends a task one of whose updates cannot be stored; its status gives the reason where that is a limit of the hub. */
export function endingFor(taskId: string, cause: unknown, clock: Clock, log: Log): Waiting {
  const isTooLarge = cause instanceof TaskTooLargeError;
  const what = 'a task ends as failed: an update cannot be stored';
  // That one is what an agent or a client did, and no trouble of the hub.
  if (isTooLarge) log.warn({ taskId, reason: cause.message }, what);
  else log.error({ taskId, err: cause }, what);
  const why: Why = isTooLarge
    ? { reason: `${UNSTORED}: ${cause.message}`, code: 'TASK_TOO_LARGE' }
    : { reason: `${UNSTORED}.`, code: 'INTERNAL' };
  return {
    purpose: 'ending',
    fence: undefined,
    decide: (task) => ({
      change: decideTaskFailed(task, why, clock.now()),
      result: undefined,
    }),
    resolve: () => undefined,
    reject: (error) =>
      log.error({ taskId, err: error }, 'marking a task as failed did not succeed'),
  };
}
