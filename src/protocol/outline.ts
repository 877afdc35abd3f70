import type { Artifact, Message, Task, TaskState, TaskStatus } from './a2a.js';

/** Contents of a task are needed that are not in memory, but only in its log. */
export class ContentsNotKeptError extends Error {
  override readonly name = 'ContentsNotKeptError';

  constructor() {
    super('these contents are only in the log of the task');
  }
}

/** A status without its message. */
class StatusOutline implements TaskStatus {
  readonly state: TaskState;
  readonly timestamp: string | undefined;

  constructor({ state, timestamp }: TaskStatus) {
    this.state = state;
    this.timestamp = timestamp;
  }

  get message(): Message {
    throw new ContentsNotKeptError();
  }
}

/** A task without its artifacts and messages: as large as its metadata, whatever happens to it. */
class TaskOutline implements Task {
  id: string;
  contextId: string;
  status: TaskStatus | undefined;
  metadata: Task['metadata'];

  constructor({ id, contextId, status, metadata }: Task) {
    this.id = id;
    this.contextId = contextId;
    this.status = statusOutlineOf(status);
    this.metadata = metadata;
  }

  get artifacts(): Artifact[] {
    throw new ContentsNotKeptError();
  }

  get history(): Message[] {
    throw new ContentsNotKeptError();
  }
}

/** What decisions hardly ever do without: a task without its artifacts and messages; reading them throws {@link ContentsNotKeptError}. */
export function outlineOf(task: Task): Task {
  return isOutline(task) ? task : new TaskOutline(task);
}

export function isOutline(task: Task): boolean {
  return task instanceof TaskOutline;
}

/** The same of a status; one without a message is its own. */
export function statusOutlineOf(status: TaskStatus | undefined): TaskStatus | undefined {
  if (status === undefined || status instanceof StatusOutline) return status;
  return status.message === undefined ? status : new StatusOutline(status);
}
