import { HubError } from '../../../src/common/hub-error.js';
import type { Clock } from '../../../src/common/clock.js';
import { TaskState, type Task } from '../../../src/protocol/a2a.js';
import { isTerminal } from '../../../src/protocol/task-state.js';
import { saidIn } from '../../../src/tasks/domain/own-ids.js';
import type { StreamItem } from '../../../src/tasks/reading/task-streams.js';
import type { HubTasks, RequestOptions } from '../hub-tasks.js';
import type { Life } from './life.js';

/** Nobody knows what became of a call while the database was away: it is made again. */
function again(error: unknown): undefined {
  if (error instanceof HubError && ['UNAVAILABLE', 'INTERNAL'].includes(error.reason)) return;
  throw error;
}

/** A hub process as its clients find it. */
export interface SimProcess {
  readonly hub: HubTasks;
  readonly life: Life;
}

/** What one client wants. */
export interface ClientPlan {
  readonly name: string;
  readonly options: RequestOptions;
  readonly beginsAfterMs: number;
  readonly cancelsAfterMs: number | undefined;
}

const AGAIN_AFTER_MS = 40;
const LOOKS_EVERY_MS = 250;
const GONE: ReadonlySet<string> = new Set(['UNSUPPORTED_OPERATION', 'TASK_NOT_CANCELABLE']);

/**
 * A client that sends one message, answers questions, may cancel, and follows its task by GetTask and by a
 * stream until it has ended. When the hub dies under a call it makes it again, under the same key.
 */
export class SimClientOfHub {
  /** The task as GetTask showed it first after its end. */
  ended: Task | undefined;
  taskId: string | undefined;
  /** What its stream brought, over all resumptions. */
  readonly seen: StreamItem[] = [];
  readonly sent: string[] = [];
  private answers = 0;

  constructor(
    readonly plan: ClientPlan,
    private readonly clock: Clock,
    private readonly process: () => SimProcess | undefined,
  ) {}

  async run(): Promise<void> {
    const { plan, clock } = this;
    await clock.sleep(plan.beginsAfterMs);
    const task = await this.send(plan.options);
    this.taskId = task.id;
    void this.read(task.id);
    const cancelAt = clock.now().getTime() + (plan.cancelsAfterMs ?? Infinity);
    while (!this.ended) {
      const now = await this.ask(({ hub }) => hub.get(task.id));
      const state = now.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED;
      if (isTerminal(state)) {
        this.ended = now;
      } else if (clock.now().getTime() >= cancelAt) {
        await this.attempt(() =>
          this.ask(({ hub }) => hub.service.cancel(task.id, hub.request(''))),
        );
      } else if (state === TaskState.TASK_STATE_INPUT_REQUIRED) {
        await this.attempt(() => this.answer(now));
      }
      await clock.sleep(LOOKS_EVERY_MS);
    }
  }

  /** The whole stream has been read. */
  get hasSeenEnd(): boolean {
    return this.readEnd;
  }

  private readEnd = false;

  /** Of several that wait the first one is answered. */
  private answer({ id, status }: Task): Promise<Task> {
    this.answers += 1;
    const requested = status?.message && saidIn(status.message);
    const { waiting = [] } = (requested ?? {}) as { waiting?: { delegationId: string }[] };
    const first = waiting[0];
    const directive = first ? { replyTo: first.delegationId } : {};
    return this.send({ directive, message: { taskId: id } }, `answer ${this.answers}`);
  }

  private send(options: RequestOptions, what = 'task'): Promise<Task> {
    const messageId = `${this.plan.name} ${what}`;
    this.sent.push(messageId);
    return this.ask(({ hub }) =>
      hub.begin(`please ${messageId}`, {
        ...options,
        idempotencyKey: messageId,
        message: { ...options.message, messageId },
      }),
    );
  }

  /** What the task has no use for any more is refused. */
  private async attempt(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof HubError && GONE.has(error.reason))) throw error;
    }
  }

  /** Asks until a process lives long enough to answer. */
  private async ask<T>(call: (process: SimProcess) => Promise<T>): Promise<T> {
    for (;;) {
      const process = this.process();
      if (process) {
        const answer = await Promise.race([
          call(process).then((value) => ({ value }), again),
          process.life.died.then(() => undefined),
        ]);
        if (answer) return answer.value;
      }
      await this.clock.sleep(AGAIN_AFTER_MS);
    }
  }

  private async read(taskId: string): Promise<void> {
    while (!this.readEnd) {
      await this.clock.sleep(AGAIN_AFTER_MS);
      const process = this.process();
      if (!process) continue;
      const { hub, life } = process;
      const lastEventId = this.seen.at(-1)?.seq ?? 0;
      const stream = hub.service.subscribe(taskId, { ...hub.request(''), lastEventId });
      for (;;) {
        const next = await Promise.race([stream.next(), life.died.then(() => undefined)]);
        if (!next) break;
        if (next.done) {
          // It ends at a question as well.
          this.readEnd = this.ended !== undefined;
          break;
        }
        this.seen.push(next.value);
      }
    }
  }
}
