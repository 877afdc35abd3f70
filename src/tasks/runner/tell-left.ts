import { decideLeftTold } from '../domain/left-tasks.js';
import type { Delegation, SentWith, TaskRecord } from '../task.js';
import type { RunContext } from './run-context.js';
import type { RunDeps } from './run-deps.js';

/**
 * Tells the agent that nothing more is needed of the tasks it has left for the one it works on, and notes
 * which it has been told of. Those it could not be told of are told with the end of the delegation.
 */
export async function tellLeft(run: LeavingRun): Promise<void> {
  const { deps, record, fence, delegation, sentWith } = run;
  const told = await toldOfLeft(deps, record, delegation, sentWith);
  await deps.log.update(
    record.id,
    (aggregate) => ({
      change: decideLeftTold(aggregate, delegation.id, told),
      result: undefined,
    }),
    fence,
  );
}

/** A run, as far as telling needs it. */
type LeavingRun = Pick<RunContext, 'deps' | 'record' | 'fence' | 'delegation' | 'sentWith'>;

/** The tasks the agent has left of which it has been told. */
export async function toldOfLeft(
  { farewell }: Pick<RunDeps, 'farewell'>,
  record: TaskRecord,
  delegation: Delegation,
  sentWith: SentWith,
): Promise<string[]> {
  const told = await Promise.all(
    (delegation.progress.left ?? []).map(async (downstreamTaskId) => {
      const isTold = await farewell.tell({ ...delegation, downstreamTaskId }, record, sentWith);
      return isTold ? [downstreamTaskId] : [];
    }),
  );
  return told.flat();
}
