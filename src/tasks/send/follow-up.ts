import { isDeepStrictEqual } from 'node:util';
import { visibilityOf } from '../../auth/index.js';
import type { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { Role, type Message } from '../../protocol/a2a.js';
import { isInterrupted } from '../../protocol/task-state.js';
import type { HubRequest } from '../../routing/index.js';
import { decideFollowUp } from '../domain/task-decisions.js';
import { keyConflict, taskNotFound } from '../task-errors.js';
import { KeyHeldError, type TaskLog } from '../task-log.js';
import type { Alongside } from '../task-store.js';
import { NO_CHANGE, type IdempotencyKey, type TaskAggregate } from '../task.js';
import { belongsTo } from '../task-access.js';
import { givenKeyOf } from './fingerprint.js';

/**
 * Adds the message to its task and queues the delegation it is for; `alongside` is written in the same
 * commit. The same message again, while its answer is still awaited, adds nothing, nor does the same
 * request under a client's `Idempotency-Key` as long as that holds; `alongside` is written all the same.
 * Throws TASK_NOT_FOUND for a task the caller does not have, CONFLICT for a key that was used
 * for another request, and what {@link decideFollowUp} throws.
 */
export async function followUp(
  log: TaskLog,
  clock: Clock,
  request: HubRequest,
  alongside: readonly Alongside[],
): Promise<void> {
  const { message, principal } = request;
  const idempotency = givenKeyOf(request, clock.now());
  const holder = idempotency && (await log.keyHolder(principal.id, idempotency.key));
  if (holder && holder.fingerprint !== idempotency.fingerprint) throw keyConflict();
  try {
    await add(log, clock, request, alongside, holder ? null : idempotency, Boolean(holder));
  } catch (error) {
    if (error instanceof KeyHeldError) {
      // The same request came at the same time, perhaps to another process.
      if (!error.sameRequest) throw keyConflict();
      return add(log, clock, request, alongside, null, true);
    }
    const unknown = error instanceof HubError && error.reason === 'TASK_NOT_FOUND';
    throw unknown ? taskNotFound(message.taskId) : error;
  }
}

function add(
  log: TaskLog,
  clock: Clock,
  request: HubRequest,
  alongside: readonly Alongside[],
  idempotency: IdempotencyKey | null,
  isKnown: boolean,
): Promise<void> {
  const { message, agentId, directive } = request;
  const visibility = visibilityOf(request.principal);
  return log.update(message.taskId, (aggregate) => {
    if (!belongsTo(aggregate, visibility, agentId)) throw taskNotFound(message.taskId);
    if (isKnown || isRepetition(aggregate, message)) {
      return { change: NO_CHANGE, result: undefined, alongside };
    }
    const change = decideFollowUp(aggregate, message, directive.replyTo, clock.now());
    return { change, result: undefined, alongside, idempotency };
  });
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
