import { HubError } from '../../common/hub-error.js';
import { FencedError } from '../task-log.js';
import type { ClaimedDelegation } from '../task-store.js';
import type { RunDeps } from './run-deps.js';

/** Gives a delegation whose message has not been sent back to the queue, for whoever claims it next. */
export async function putBack(
  { log, logger }: Pick<RunDeps, 'log' | 'logger'>,
  { id, taskId, epoch, adopted }: ClaimedDelegation,
): Promise<void> {
  if (adopted) return;
  try {
    await log.update(
      taskId,
      (aggregate) => {
        const current = aggregate.delegations.find((each) => each.id === id);
        const change =
          current?.state === 'sending'
            ? {
                events: [],
                delegations: [
                  {
                    id,
                    state: 'queued',
                    calls: current.calls - 1,
                    owner: null,
                    leaseUntil: null,
                  } as const,
                ],
              }
            : { events: [] };
        return { change, result: undefined };
      },
      { delegationId: id, epoch },
    );
  } catch (error) {
    if (error instanceof FencedError) return;
    const known = error instanceof HubError ? error.reason : undefined;
    logger.warn(
      { err: error, taskId, delegationId: id, reason: known },
      'a delegation stays claimed',
    );
  }
}
