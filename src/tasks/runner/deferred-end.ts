import { sizeOf } from '../../common/long-work.js';
import { TaskState } from '../../protocol/a2a.js';
import type { StreamResponse, Task, TaskStatusUpdateEvent } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';

/** How long an end is held back at most. */
export const DEFER_MS = 1000;

/** Of late artifacts, so many events and characters at most are kept. */
const MAX_LATE = 256;
const MAX_LATE_SIZE = 1024 * 1024;

/**
 * Holds back the status that ends a task until it is known what follows it on its stream: some agents send the
 * whole task after it, with content they have not sent yet, and both are one end. Artifacts that come after it
 * go before it. Other events after an end are dropped.
 */
export class DeferredEnd {
  private end: TaskStatusUpdateEvent | undefined;
  private task: Task | undefined;
  private other: TaskState | undefined;
  private readonly late: StreamResponse[] = [];
  private lateSize = 0;

  /** An end is held back. */
  get isDeferring(): boolean {
    return this.end !== undefined;
  }

  /** Nothing that could follow would change the held end. */
  get isDecided(): boolean {
    return this.task !== undefined || this.other !== undefined;
  }

  /** The whole task has come after its end. */
  get hasTask(): boolean {
    return this.task !== undefined;
  }

  /** Artifacts have come after the end, and neither the whole task nor another end. */
  get isOutOfOrder(): boolean {
    return this.late.length > 0 && !this.isDecided;
  }

  /** The id of the task that has ended; undefined where there is no end, or it names none. */
  get endedTaskId(): string | undefined {
    return this.end?.taskId || undefined;
  }

  /** Why the two ends that the agent has sent contradict each other; undefined when there is one. */
  get conflict(): string | undefined {
    if (this.other === undefined || this.end?.status === undefined) return undefined;
    const [first, second] = [this.end.status.state, this.other].map(stateName);
    return `the agent ended its task twice, as ${first} and as ${second}.`;
  }

  /** Those of the newest events that pass: those before an end, the same list when there is none. */
  filter(events: readonly StreamResponse[]): readonly StreamResponse[] {
    if (this.end !== undefined) {
      this.inspect(events);
      return [];
    }
    const at = events.findIndex(({ payload }) => isEnd(payload));
    const payload = events[at]?.payload;
    if (payload?.$case !== 'statusUpdate') return events;
    this.end = payload.value;
    this.inspect(events.slice(at + 1));
    return events.slice(0, at);
  }

  /**
   * The task as its agent has it now replaces the held end, if it has ended in the same state: late artifacts
   * that it lacks came after its end.
   */
  resolve(task: Task): void {
    if (task.id === this.end?.taskId && task.status?.state === this.end.status?.state) {
      this.task = task;
    }
  }

  /** The held end as one event, after the late artifacts. */
  release(): StreamResponse[] {
    const { end, task } = this;
    if (end === undefined) return [];
    return task === undefined
      ? [...this.late, { payload: { $case: 'statusUpdate', value: end } }]
      : [{ payload: { $case: 'task', value: endedBy(task, end) } }];
  }

  private inspect(events: readonly StreamResponse[]): void {
    for (const event of events) {
      const { payload } = event;
      if (this.isDecided) return;
      if (payload?.$case === 'artifactUpdate' && payload.value.taskId === this.end?.taskId) {
        this.addLate(event);
      } else if (payload?.$case === 'task' && payload.value.id === this.end?.taskId) {
        this.compare(payload.value.status?.state);
        this.task = payload.value;
      } else if (isEnd(payload) && payload.value.taskId === this.end?.taskId) {
        this.compare(payload.value.status?.state);
      }
    }
  }

  /** Once the limit is exceeded all later ones are dropped: no artifact should have a hole. */
  private addLate(event: StreamResponse): void {
    this.lateSize += sizeOf(event);
    if (this.lateSize > MAX_LATE_SIZE || this.late.length === MAX_LATE) this.lateSize = Infinity;
    else this.late.push(event);
  }

  private compare(state: TaskState | undefined): void {
    if (state === undefined || !isTerminal(state)) return;
    if (state !== this.end?.status?.state) this.other = state;
  }
}

/** The task with the end that was sent before it, as far as its own status does not say more. */
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

function stateName(state: TaskState): string {
  return String(TaskState[state]).replace('TASK_STATE_', '').toLowerCase();
}
