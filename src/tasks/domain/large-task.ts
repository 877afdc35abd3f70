import { isLong, sizeOf } from '../../common/long-work.js';
import type { Artifact, Part, StreamResponse, Task } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';

/** What one event of a large answer holds, unless one part alone is larger. */
const STEP = 4 * 1024 * 1024;

/**
 * A large task that an agent gives whole, as it would have been streamed: its artifacts in chunks, then the
 * task, of which only the status is new by then. So no commit has more than one large part of it. Only for
 * a delegation that has given no artifact yet. Any other event stays as it is.
 */
export function inSteps(event: StreamResponse): StreamResponse[] {
  const { payload } = event;
  if (payload?.$case !== 'task' || !isLong(payload.value.artifacts, STEP)) return [event];
  const task = payload.value;
  // The last of one id counts.
  const artifacts = new Map(task.artifacts.map((artifact) => [artifact.artifactId, artifact]));
  return [...[...artifacts.values()].flatMap((artifact) => chunks(task, artifact)), event];
}

function chunks({ id, contextId, status }: Task, artifact: Artifact): StreamResponse[] {
  const groups = grouped(artifact.parts);
  const isOver = status !== undefined && isTerminal(status.state);
  return groups.map((parts, i) => ({
    payload: {
      $case: 'artifactUpdate',
      value: {
        taskId: id,
        contextId,
        artifact: { ...artifact, parts },
        append: i > 0,
        lastChunk: isOver && i === groups.length - 1,
        metadata: undefined,
      },
    },
  }));
}

/** The parts in groups that fit into a step; one at least. */
function grouped(parts: readonly Part[]): Part[][] {
  const groups: Part[][] = [[]];
  let size = 0;
  for (const part of parts) {
    const more = sizeOf(part);
    if (size > 0 && size + more > STEP) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)!.push(part);
    size += more;
  }
  return groups;
}
