import { sizeOf } from '../../common/long-work.js';
import { TaskState } from '../../protocol/a2a.js';
import type { StreamResponse, Task, TaskStatusUpdateEvent } from '../../protocol/a2a.js';
import { isTerminal } from '../../protocol/task-state.js';

/** How long an end is held at most. */
export const HOLD_MS = 1000;

/** Of what comes too late, so many events and characters at most are kept. */
const MAX_LATE = 256;
const MAX_LATE_SIZE = 1024 * 1024;

/**
 * The status that ends a task, held back until it is known what follows it on its stream: some agents send
 * the whole task after it, with what they have not shown yet, and both are one end. Artifacts that come behind
 * it go before it. Other events after an end are not taken.
 */
export class TerminalHold {
  private end: TaskStatusUpdateEvent | undefined;
  private task: Task | undefined;
  private other: TaskState | undefined;
  private readonly late: StreamResponse[] = [];
  private lateSize = 0;

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

  /** The task that is asked for where artifacts have come behind its end; else undefined. */
  get disordered(): string | undefined {
    return this.late.length > 0 && !this.isDecided ? this.end?.taskId : undefined;
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

  /**
   * The task as its agent has it now is what is held, if it has ended so too: what it lacks then of what came too
   * late was after its end.
   */
  settle(task: Task): void {
    if (task.id === this.end?.taskId && task.status?.state === this.end.status?.state) {
      this.task = task;
    }
  }

  /** What is held: one event, behind those that came too late. */
  release(): StreamResponse[] {
    const { end, task } = this;
    if (end === undefined) return [];
    return task === undefined
      ? [...this.late, { payload: { $case: 'statusUpdate', value: end } }]
      : [{ payload: { $case: 'task', value: endedBy(task, end) } }];
  }

  private heed(events: readonly StreamResponse[]): void {
    for (const event of events) {
      const { payload } = event;
      if (this.isDecided) return;
      if (payload?.$case === 'artifactUpdate' && payload.value.taskId === this.end?.taskId) {
        this.keep(event);
      } else if (payload?.$case === 'task' && payload.value.id === this.end?.taskId) {
        this.compare(payload.value.status?.state);
        this.task = payload.value;
      } else if (isEnd(payload) && payload.value.taskId === this.end?.taskId) {
        this.compare(payload.value.status?.state);
      }
    }
  }

  /** Nothing behind one that is too much: no artifact should have a hole. */
  private keep(event: StreamResponse): void {
    this.lateSize += sizeOf(event);
    if (this.lateSize > MAX_LATE_SIZE || this.late.length === MAX_LATE) this.lateSize = Infinity;
    else this.late.push(event);
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
