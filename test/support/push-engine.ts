import { markDue } from '../../src/push/delivery/persistence/push-append.participant.js';
import { SendBudget } from '../../src/push/delivery/send-budget.js';
import { NO_OBSERVER, OPEN_GATE } from '../../src/push/delivery/fake-gate.js';
import { type Clock, SystemClock } from '../../src/common/clock.js';
import { Egress, type EgressOptions } from '../../src/common/egress/egress.js';
import type { Database } from '../../src/database/database.js';
import { StreamResponse } from '../../src/protocol/a2a.js';
import { NoTracing } from '../../src/common/tracing/tracing.js';
import { AttemptSender } from '../../src/push/sending/attempt-sender.js';
import { DeliveryCleanup } from '../../src/push/delivery/delivery-cleanup.js';
import { DeliveryWorker } from '../../src/push/delivery/delivery.worker.js';
import { dueWhen } from '../../src/push/delivery/domain/delivery-plan.js';
import { WebhookEgress } from '../../src/common/egress/webhook-egress.js';
import { HttpWebhookSender } from '../../src/push/sending/http-webhook.sender.js';
import { DeliveryReader } from '../../src/push/delivery/delivery-reader.js';
import { StreamRunner } from '../../src/push/delivery/stream-runner.js';
import { PushWakeup } from '../../src/push/delivery/push-wakeup.js';
import { readEvents } from '../../src/tasks/persistence/read-events.js';
import { textOfHeader } from '../../src/tasks/persistence/header-text.js';
import { toEvent } from '../../src/tasks/persistence/task-rows.js';
import { headerOf, type TaskEvent, type TaskLog } from '../../src/tasks/index.js';
import type { LogEntry } from '../../src/push/delivery/domain/delivery-plan.js';
import { plainAuthenticator } from './push-auth.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import { ENDPOINT_RULES, PushStores, SILENT } from './push-stores.js';
import { testSecrets } from './secret-box.js';

/** The delays of the tests: quick, and long enough to tell one retry from the next. */
const SETTINGS = {
  scheduleMs: [40, 60],
  jitter: 0,
  retryAfterMaxMs: 60_000,
  connectTimeoutMs: 500,
  timeoutMs: 1000,
  responseBytes: 64,
  maxConcurrent: 50,
  maxPerEndpoint: 10,
  attemptRetentionDays: 30,
  breaker: { maxPauseMs: 200 },
  disableAfterMs: ENDPOINT_RULES.disableAfterMs,
};

export interface EngineOptions {
  readonly settings?: Partial<typeof SETTINGS>;
  readonly rules?: Partial<EndpointRules>;
  readonly clock?: Clock;
  readonly egress?: EgressOptions;
  readonly maxBodyBytes?: number;
}

/**
 * Everything that delivers webhooks, on a real database and with real sockets, beside a log that the
 * test writes itself: {@link append} is the commit of the events.
 */
export class PushEngine extends PushStores {
  private readonly egress: Egress;
  private readonly wakeup = new PushWakeup();
  private readonly workers: DeliveryWorker[] = [];
  private readonly settings: typeof SETTINGS;

  constructor(
    database: Database,
    private readonly options: EngineOptions = {},
  ) {
    super(database, options.rules);
    this.settings = { ...SETTINGS, ...options.settings };
    this.egress = new Egress(options.egress ?? { allow: ['127.0.0.0/8'] });
  }

  /** Adds entries (1.0 wire JSON of StreamResponse) to a task's log as one commit. */
  async append(taskId: string, ...wires: object[]): Promise<void> {
    const { wakeup } = this;
    const now = new Date();
    const entries: LogEntry[] = [];
    await this.database.write(function* (tx) {
      const [task] = yield* tx.all<{ last: number | null; every: number }>(
        `SELECT (SELECT MAX(seq) FROM task_events WHERE task_id = t.id) AS last,
           t.every_event AS every FROM tasks t WHERE t.id = ?`,
        [taskId],
      );
      let seq = Number(task?.last ?? 0);
      for (const wire of wires) {
        const [kind, body] = [kindOf(wire), bodyOf(wire)];
        const header = headerOf(StreamResponse.fromJSON(JSON.parse(body)).payload!);
        entries.push({ kind, header });
        yield* tx.run(
          'INSERT INTO task_events (task_id, seq, kind, at, header, body) VALUES (?, ?, ?, ?, ?, ?)',
          [taskId, ++seq, kind, now.getTime(), textOfHeader(header), body],
        );
      }
      yield* tx.run('UPDATE tasks SET seq = ? WHERE id = ?', [seq, taskId]);
      const when = dueWhen(entries, task?.every === 1);
      if (when !== null) yield* markDue(tx, [{ taskId, seq, when }], now);
    });
    wakeup.notify();
  }

  /** A task with its first two entries. */
  async beginTask(id?: string): Promise<string> {
    const taskId = await this.addTask(0, id);
    await this.append(
      taskId,
      { task: { id: taskId, contextId: 'ctx', status: { state: 'TASK_STATE_SUBMITTED' } } },
      {
        message: {
          messageId: 'm1',
          taskId,
          contextId: 'ctx',
          role: 'ROLE_USER',
          parts: [{ text: 'please' }],
        },
      },
    );
    return taskId;
  }

  /** A webhook of the task at this address. */
  async hook(
    taskId: string,
    url: string,
    changes: Parameters<PushStores['draft']>[0] = {},
  ): Promise<void> {
    const draft = this.draft({ url, configId: 'c', fingerprint: url, ...changes });
    await this.webhooks.set(taskId, draft, { now: new Date(), repeated: 'present-state' });
    this.wakeup.notify();
  }

  /** Starts one more worker, as another process would. */
  async start(alone = false): Promise<DeliveryWorker> {
    const clock = this.options.clock ?? new SystemClock();
    const log = {
      events: (id: string, after: number, limit: number) => this.events(id, after, limit),
      headers: (id: string, after: number, limit: number) => this.events(id, after, limit),
    };
    const bodies = { maxBodyBytes: this.options.maxBodyBytes ?? 1024 * 1024 };
    const address = { ofA2a: 'https://hub.example' };
    const runner = new StreamRunner(
      this.streams,
      new DeliveryReader(log as unknown as TaskLog, this.ids, clock, bodies, address),
      new AttemptSender(
        new HttpWebhookSender(new WebhookEgress(this.egress), clock, this.settings),
        plainAuthenticator(testSecrets()),
        testSecrets(),
        this.settings,
        new NoTracing(),
      ),
      clock,
      this.ids,
      SILENT,
      this.settings,
      NO_OBSERVER,
      OPEN_GATE,
      new SendBudget(),
    );
    const worker = new DeliveryWorker(
      this.ids,
      this.streams,
      runner,
      new DeliveryCleanup(this.cleanup, this.endpoints, SILENT, this.settings),
      this.wakeup,
      clock,
      SILENT,
      this.settings,
      { soleProcess: alone },
    );
    this.workers.push(worker);
    await worker.start();
    return worker;
  }

  async close(): Promise<void> {
    for (const worker of this.workers.splice(0)) await worker.stop();
    await this.egress.close();
  }

  private async events(taskId: string, afterSeq: number, limit: number): Promise<TaskEvent[]> {
    return (await readEvents(this.database, taskId, afterSeq, limit)).map(toEvent);
  }
}

/** A status update as it is in the log. */
export function statusWire(taskId: string, state: string, text?: string): object {
  const message = text && {
    messageId: `s-${text}`,
    taskId,
    contextId: 'ctx',
    role: 'ROLE_AGENT',
    parts: [{ text }],
  };
  return {
    statusUpdate: {
      taskId,
      contextId: 'ctx',
      status: { state: `TASK_STATE_${state}`, message, timestamp: '2026-01-01T00:00:00.000Z' },
    },
  };
}

/** An artifact update as it is in the log. */
export function chunkWire(taskId: string, id: string, text: string, options: object = {}): object {
  return {
    artifactUpdate: {
      taskId,
      contextId: 'ctx',
      artifact: { artifactId: id, name: id, parts: [{ text }] },
      ...options,
    },
  };
}

function bodyOf(wire: object): string {
  return JSON.stringify(StreamResponse.toJSON(StreamResponse.fromJSON(wire)));
}

function kindOf(wire: object): TaskEvent['kind'] {
  if ('task' in wire) return 'task';
  if ('statusUpdate' in wire) return 'status';
  return 'artifactUpdate' in wire ? 'artifact' : 'message';
}
