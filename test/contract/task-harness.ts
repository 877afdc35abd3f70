import { EndedTaskNotes } from '../../src/tasks/persistence/ended-tasks.js';
import { randomUUID } from 'node:crypto';
import type { Principal } from '../../src/auth/index.js';
import type { Log } from '../../src/common/logger.js';
import type { Database } from '../../src/database/database.js';
import type { Tx, Work } from '../../src/database/sql.js';
import { Role, TaskState, type Message } from '../../src/protocol/a2a.js';
import { artifactUpdate, statusUpdate, textPart } from '../../src/protocol/build.js';
import {
  AppendParticipant,
  type AfterCommit,
  type Appended,
} from '../../src/tasks/store/append-participant.js';
import { cacheLimits } from '../../src/tasks/log/writer-cache.js';
import { GroupCommitTaskLog } from '../../src/tasks/log/group-commit-task-log.js';
import { InProcessSignals } from '../../src/tasks/signals/in-process-signals.js';
import { SqlUsageStore } from '../../src/tasks/persistence/sql-usage.store.js';
import { type AppliedLimit, PriceList } from '../../src/limits/index.js';
import type { Price } from '../../src/limits/domain/price.js';
import { SqlSpending } from '../../src/limits/persistence/sql-spending.js';
import { SqlLimitCounters } from '../../src/limits/persistence/sql-limit-counters.js';
import { ExactLimits } from '../../src/tasks/persistence/exact-limits.js';
import { SqlTaskStore } from '../../src/tasks/persistence/sql-task.store.js';
import type { Decision } from '../../src/tasks/log/task-log.js';
import { storable } from '../../src/database/text.js';
import { planOf, type Route } from '../../src/routing/index.js';
import { firstUpdate } from '../../src/tasks/send/new-task.js';
import type {
  IdempotencyKey,
  NewDelegation,
  NewEvent,
  NewTask,
  TaskAggregate,
  TaskChange,
  TaskRecord,
} from '../../src/tasks/task.js';
import { FakeClock } from '../support/fake-clock.js';

export const ALICE: Principal = { id: 'alice', organization: 'acme', scopes: new Set(['a2a']) };
export const BOB: Principal = { id: 'bob', organization: 'acme', scopes: new Set(['a2a']) };
export const EVE: Principal = { id: 'eve', organization: 'evil', scopes: new Set(['a2a']) };

/** Counts what it is told and can be told to refuse a task, as a database would. */
export class RecordingParticipant extends AppendParticipant {
  readonly transactions: (readonly Appended[])[] = [];
  readonly commits: (readonly Appended[])[] = [];
  /** Appends of these tasks throw inside the transaction, so often. */
  readonly refuse = new Map<string, number>();
  /** Tasks that must not be deleted yet. */
  readonly pending = new Set<string>();

  *appended(tx: Tx, batch: readonly Appended[]): Work<AfterCommit | void> {
    this.transactions.push(batch);
    yield* tx.all('SELECT COUNT(*) AS n FROM tasks');
    for (const { taskId } of batch) {
      const times = this.refuse.get(taskId) ?? 0;
      if (times === 0) continue;
      this.refuse.set(taskId, times - 1);
      throw new Error(`refused ${taskId}`);
    }
    return () => this.commits.push(batch);
  }

  *forgetting(tx: Tx, taskIds: readonly string[]): Work<readonly string[]> {
    yield* tx.all('SELECT COUNT(*) AS n FROM tasks');
    return taskIds.filter((id) => this.pending.has(id));
  }
}

export class SilentLog implements Log {
  readonly errors: string[] = [];
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(_fields: object, message: string): void {
    this.errors.push(message);
  }
}

/** One process of the hub as far as tasks are stored: a log over a store over a database. */
export class TaskHarness {
  readonly signals = new InProcessSignals();
  readonly participant = new RecordingParticipant();
  readonly output = new SilentLog();
  readonly limits: ExactLimits;
  /** What work costs, and the budgets that it counts for. */
  readonly prices: Price[] = [];
  readonly budgets: AppliedLimit[] = [];
  /** Raised as the limits change. */
  limitChanges = 0;
  readonly spending: SqlSpending;
  readonly store: SqlTaskStore;
  readonly log: GroupCommitTaskLog;

  constructor(
    readonly database: Database,
    readonly clock = new FakeClock(),
    maxTaskSize = Infinity,
    limits = cacheLimits(),
    notesEnds = false,
  ) {
    this.spending = new SqlSpending(database);
    const { prices, budgets } = this;
    const changes = (): number => this.limitChanges;
    this.limits = new ExactLimits(
      new SqlLimitCounters(database),
      this.spending,
      {
        budgetsOf: ({ unit }) => budgets.filter((each) => each.unit === unit),
        get changes() {
          return changes();
        },
      },
      {
        get list() {
          return new PriceList(prices);
        },
      },
      database,
      clock,
    );
    this.store = new SqlTaskStore(
      database,
      this.participant,
      new SqlUsageStore(database, { jitter: () => 0 }),
      new EndedTaskNotes(notesEnds),
      this.limits,
    );
    this.log = new GroupCommitTaskLog(
      this.store,
      this.signals,
      this.clock,
      this.output,
      false,
      maxTaskSize,
      limits,
    );
  }

  /** Another process on the same database. */
  another(database = this.database): TaskHarness {
    const other = new TaskHarness(database, this.clock);
    other.prices.push(...this.prices);
    other.budgets.push(...this.budgets);
    return other;
  }

  /** Creates a task and gives it as it was committed. */
  async create(options: TaskOptions = {}): Promise<TaskAggregate> {
    const created = await this.log.create(newTask(options, this.clock.now()));
    if (created.kind !== 'created') throw new Error('the task existed already');
    return created.aggregate;
  }

  /** Logs events of a task, with no more ado. */
  append(taskId: string, ...events: NewEvent[]): Promise<void> {
    return this.log.update(taskId, () => change({ events }));
  }

  async load(taskId: string): Promise<TaskAggregate> {
    const loaded = await this.store.load(taskId, { kind: 'everything' });
    if (loaded === undefined) throw new Error(`no task ${taskId}`);
    return loaded;
  }

  async rows(table: string): Promise<Record<string, unknown>[]> {
    return this.database.read(`SELECT * FROM ${table}`);
  }
}

export interface TaskOptions extends Partial<TaskRecord> {
  readonly text?: string;
  /** Agents with a delegation each. */
  readonly agents?: readonly string[];
  readonly principal?: Principal;
  readonly message?: Partial<Message>;
  readonly metadata?: Record<string, unknown>;
  readonly idempotency?: IdempotencyKey;
  readonly delegationDeadline?: Date;
  /** What each delegation has otherwise, by its place. */
  readonly delegation?: (index: number) => Partial<NewDelegation>;
}

export const FAR = new Date('2030-01-01T00:00:00Z');

export function newTask(options: TaskOptions = {}, now = new FakeClock().now()): NewTask {
  const { text = 'hello', agents = ['a1'], principal = ALICE, message, metadata = {} } = options;
  const { idempotency = null, delegationDeadline = FAR, delegation, ...given } = options;
  const route: Route = given.route ?? {
    reason: 'agent',
    strategy: agents.length > 1 ? 'all' : 'one',
    require: 'all',
    chosen: agents.map((agentId) => ({ agentId, why: 'named by the client' })),
    skipped: [],
  };
  const contextId = storable(given.contextId ?? 'context-1');
  const record: TaskRecord = {
    id: given.id ?? randomUUID(),
    contextId,
    principalId: principal.id,
    organization: principal.organization,
    state: TaskState.TASK_STATE_SUBMITTED,
    statusAt: now,
    seq: 0,
    route,
    plan: planOf(route),
    allowReply: given.allowReply ?? false,
    cancelRequestedAt: null,
    cancelMetadata: null,
    deadlineAt: given.deadlineAt ?? null,
    keyId: principal.keyId ?? null,
    identityId: principal.identityId ?? null,
    issuer: principal.issuer ?? null,
    chain: principal.chain ?? null,
    keepsToken: given.keepsToken ?? false,
    requestId: null,
    traceparent: given.traceparent ?? null,
    tracestate: given.tracestate ?? null,
    extensions: given.extensions ?? [],
    hops: given.hops ?? [],
    acceptedOutputModes: given.acceptedOutputModes ?? [],
    requestMetadata: given.requestMetadata ?? null,
    createdAt: now,
    updatedAt: now,
  };
  const delegations = agents.map((agentId, position) => ({
    id: randomUUID(),
    agentId,
    agentName: `Agent ${agentId}`,
    agentSince: now,
    skillId: null,
    position,
    step: 0,
    state: 'queued' as const,
    downstreamContextId: null,
    fallbacks: [],
    deadlineAt: delegationDeadline,
    ...delegation?.(position),
  }));
  const first = { ...clientMessage(text), ...message };
  return {
    record,
    firstUpdate: firstUpdate(record, first, metadata, delegations),
    idempotency,
  };
}

export function clientMessage(text: string): Message {
  return {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

export function change(made: TaskChange): Decision<void> {
  return { change: made, result: undefined };
}

export function status(state: TaskState, at = new Date('2026-01-01T00:00:00Z')): NewEvent {
  return { kind: 'status', payload: statusUpdate({ taskId: 't', contextId: 'c' }, state, at) };
}

export const WORKING = TaskState.TASK_STATE_WORKING;
export const COMPLETED = TaskState.TASK_STATE_COMPLETED;

/** A chunk of an artifact; the first one begins it. */
export function chunk(text: string, artifactId = 'result', append = true): NewEvent {
  return {
    kind: 'artifact',
    payload: artifactUpdate(
      { taskId: 't', contextId: 'c' },
      {
        artifact: {
          artifactId,
          name: '',
          description: '',
          parts: [textPart(text)],
          metadata: undefined,
          extensions: [],
        },
        append,
        lastChunk: false,
      },
    ),
  };
}

/** The texts of an artifact. */
/** A further part of an artifact that is JSON. */
export function dataChunk(value: unknown, artifactId = 'result'): NewEvent {
  const event = chunk('', artifactId);
  const { payload } = event;
  if (payload.$case === 'artifactUpdate') {
    payload.value.artifact!.parts = [
      { content: { $case: 'data', value }, metadata: undefined, filename: '', mediaType: '' },
    ];
  }
  return event;
}

export function texts({ task }: TaskAggregate, artifactId = 'result'): string[] {
  const found = task.artifacts.find((artifact) => artifact.artifactId === artifactId);
  return (found?.parts ?? []).map(({ content }) =>
    content?.$case === 'text' ? content.value : `(${content?.$case})`,
  );
}
