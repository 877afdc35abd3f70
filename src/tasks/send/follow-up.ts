import { isDeepStrictEqual } from 'node:util';
import { visibilityOf } from '../../auth/index.js';
import type { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { Role, type Message } from '../../protocol/a2a.js';
import { isInterrupted } from '../../protocol/task-state.js';
import type { HubRequest } from '../../routing/index.js';
import { decideFollowUp } from '../domain/task-decisions.js';
import { taskNotFound } from '../task-errors.js';
import type { Decision, TaskLog } from '../task-log.js';
import { NO_CHANGE, type TaskAggregate } from '../task.js';
import { belongsTo } from '../task-access.js';

/**
 * Adds the message to its task and queues the delegation it is for. The same message again, while
 * its answer is still awaited, adds nothing. Throws TASK_NOT_FOUND for a task the caller does not
 * have, and what {@link decideFollowUp} throws. Resolves with the seq the task had before.
 */
export async function followUp(log: TaskLog, clock: Clock, request: HubRequest): Promise<number> {
  const { message } = request;
  const visibility = visibilityOf(request.principal);
  try {
    return await log.update(message.taskId, (aggregate): Decision<number> => {
      if (!belongsTo(aggregate, visibility, request.agentId)) throw taskNotFound(message.taskId);
      const result = aggregate.record.seq;
      if (isRepetition(aggregate, message)) return { change: NO_CHANGE, result };
      const { replyTo } = request.directive;
      return { change: decideFollowUp(aggregate, message, replyTo, clock.now()), result };
    });
  } catch (error) {
    const unknown = error instanceof HubError && error.reason === 'TASK_NOT_FOUND';
    throw unknown ? taskNotFound(message.taskId) : error;
  }
}

/** The client's newest message says the same under the same id, and nobody has answered it yet. */
function isRepetition({ record, task }: TaskAggregate, message: Message): boolean {
  if (message.messageId === '' || isInterrupted(record.state)) return false;
  const last = task.history.findLast(({ role }) => role === Role.ROLE_USER);
  return (
    last?.messageId === message.messageId &&
    isDeepStrictEqual(last.parts, message.parts) &&
    isDeepStrictEqual(last.metadata ?? {}, message.metadata ?? {})
  );
}
