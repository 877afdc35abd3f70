import { TaskState } from '../../protocol/a2a.js';
import type { StreamResponse, Task, TaskStatusUpdateEvent } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';

/** How long an end is held at most. */
export const HOLD_MS = 1000;

/**
 * The status that ends a task, held back until it is known what follows it on its stream: some agents send
 * the whole task after it, with what they have not shown yet, and both are one end. Other events after an end
 * are not taken.
 */
export class HeldEnd {
  private end: TaskStatusUpdateEvent | undefined;
  private task: Task | undefined;
  private other: TaskState | undefined;

  /** An end is held. */
  get holds(): boolean {
    return this.end !== undefined;
  }

  /** Nothing that could follow would change what is held. */
  get isDecided(): boolean {
    return this.task !== undefined || this.other !== undefined;
  }

  /** The whole task has come after its end. */
  get hasTask(): boolean {
    return this.task !== undefined;
  }

  /** Why the two ends that the agent has told cannot both be; undefined when there is one. */
  get conflict(): string | undefined {
    if (this.other === undefined || this.end?.status === undefined) return undefined;
    const [first, second] = [this.end.status.state, this.other].map(worded);
    return `the agent ended its task twice, as ${first} and as ${second}.`;
  }

  /** What of the newest events is not held: those before an end, the same list when there is none. */
  sift(events: readonly StreamResponse[]): readonly StreamResponse[] {
    if (this.end !== undefined) {
      this.heed(events);
      return [];
    }
    const at = events.findIndex(({ payload }) => isEnd(payload));
    const payload = events[at]?.payload;
    if (payload?.$case !== 'statusUpdate') return events;
    this.end = payload.value;
    this.heed(events.slice(at + 1));
    return events.slice(0, at);
  }

  /** What is held, as one event. */
  release(): StreamResponse[] {
    const { end, task } = this;
    if (end === undefined) return [];
    return task === undefined
      ? [{ payload: { $case: 'statusUpdate', value: end } }]
      : [{ payload: { $case: 'task', value: endedBy(task, end) } }];
  }

  private heed(events: readonly StreamResponse[]): void {
    for (const { payload } of events) {
      if (this.isDecided) return;
      if (payload?.$case === 'task' && payload.value.id === this.end?.taskId) {
        this.compare(payload.value.status?.state);
        this.task = payload.value;
      } else if (isEnd(payload) && payload.value.taskId === this.end?.taskId) {
        this.compare(payload.value.status?.state);
      }
    }
  }

  private compare(state: TaskState | undefined): void {
    if (state === undefined || !isTerminal(state)) return;
    if (state !== this.end?.status?.state) this.other = state;
  }
}

/** The task with the end that was told before it, as far as it does not say it better itself. */
function endedBy(task: Task, { status, metadata }: TaskStatusUpdateEvent): Task {
  const its = task.status;
  const saysMore = its && isTerminal(its.state) && (its.message !== undefined || !status?.message);
  const all = metadata === undefined ? task.metadata : { ...metadata, ...task.metadata };
  return { ...task, status: saysMore ? its : status, metadata: all };
}

type Payload = StreamResponse['payload'];

function isEnd(payload: Payload): payload is Extract<Payload, { $case: 'statusUpdate' }> {
  if (payload?.$case !== 'statusUpdate') return false;
  const { status } = payload.value;
  return status !== undefined && isTerminal(status.state);
}

function worded(state: TaskState): string {
  return String(TaskState[state]).replace('TASK_STATE_', '').toLowerCase();
}
