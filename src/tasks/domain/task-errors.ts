import { HubError } from '../../common/hub-error.js';

/**
 * The one answer for a task that does not exist, belongs to another caller, or is not the agent's that the
 * address names: callers cannot tell them apart.
 */
export function taskNotFound(taskId: string): HubError {
  return new HubError('TASK_NOT_FOUND', 'Task not found', { metadata: { taskId } });
}

/** Streams of an ended task cannot be followed (A2A §3.1.6). */
export function taskHasEnded(taskId: string): HubError {
  return new HubError(
    'UNSUPPORTED_OPERATION',
    'The task has ended and cannot be subscribed to; GetTask returns it.',
    { metadata: { taskId } },
  );
}

/** What was asked for is done and should not be asked for again, but there is no room for its answer: says where that is. */
export function answerNotReturned(taskId: string, cause: unknown): HubError {
  const where = taskId === '' ? '' : `: read task ${taskId} in a moment`;
  const text = `The operation is done, but its large answer cannot be returned at the moment${where}.`;
  return new HubError('UNAVAILABLE', text, { cause });
}

/** The idempotency key belongs to another request. */
export function keyConflict(): HubError {
  return new HubError('CONFLICT', 'the idempotency key was used for another request');
}
