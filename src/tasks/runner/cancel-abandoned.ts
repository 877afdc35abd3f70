import { decideAbandonedCanceled } from '../domain/abandoned-tasks.js';
import type { Delegation, SentWith, TaskRecord } from '../task.js';
import type { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';

/**
 * Cancels the tasks that the agent has abandoned for the one it works on, and records which are canceled.
 * Those whose cancel did not reach the agent are canceled with the end of the delegation.
 */
export async function cancelAbandoned(run: AbandoningRun): Promise<void> {
  const { deps, record, fence, delegation, sentWith } = run;
  const canceled = await sendAbandonedCancels(deps, record, delegation, sentWith);
  await deps.log.update(
    record.id,
    (aggregate) => ({
      change: decideAbandonedCanceled(aggregate, delegation.id, canceled),
      result: undefined,
    }),
    fence,
  );
}

/** A run, as far as these cancels need it. */
type AbandoningRun = Pick<RunContext, 'deps' | 'record' | 'fence' | 'delegation' | 'sentWith'>;

/** Cancels the abandoned tasks of a delegation with its agent; those whose cancel has reached it. */
export async function sendAbandonedCancels(
  { downstreamCancel, stop }: Pick<RunDeps, 'downstreamCancel' | 'stop'>,
  record: TaskRecord,
  delegation: Delegation,
  sentWith: SentWith,
): Promise<string[]> {
  const canceled = await Promise.all(
    (delegation.progress.abandoned ?? []).map(async (downstreamTaskId) => {
      const isSent = await downstreamCancel.send(
        { ...delegation, downstreamTaskId },
        record,
        sentWith,
        stop.signal,
      );
      return isSent ? [downstreamTaskId] : [];
    }),
  );
  return canceled.flat();
}
