import { AuditLog, auditLogIn } from '../../src/audit/index.js';
import { randomUUID } from 'node:crypto';
import type { Abstract, INestApplicationContext, Provider, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type Admission,
  type Agent,
  AgentClient,
  AgentHealth,
  AgentLoad,
  AgentDeviations,
  AgentRegistry,
  AgentsService,
  UserConsents,
} from '../../src/agents/index.js';
import { AgentLoads } from '../../src/agents/health/agent-loads.js';
import {
  CallerOrganizations,
  PresentCallers,
  type Principal,
  PrincipalStore,
} from '../../src/auth/index.js';
import { Clock, SystemClock } from '../../src/common/clock.js';
import { Draining } from '../../src/common/draining.js';
import { IdSource, SystemIdSource } from '../../src/common/ids.js';
import { SecretBox } from '../../src/common/secret-box.js';
import { Log } from '../../src/common/logger.js';
import { ModuleLogs } from '../../src/common/module-logs.js';
import { NoTracing, Tracing } from '../../src/common/tracing/tracing.js';
import { AppConfig, configWith, type ConfigOverrides, PublicUrl } from '../../src/config/index.js';
import { Database } from '../../src/database/database.js';
import { DiskWatch } from '../../src/database/disk-watch.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import type { Tx, Work } from '../../src/database/sql.js';
import { WorkerWatch } from '../../src/database/worker-watch.js';
import {
  Role,
  StreamResponse,
  TaskState,
  type Message,
  type Task,
} from '../../src/protocol/a2a.js';
import { textPart } from '../../src/protocol/build.js';
import {
  LimitCounters,
  LimitRegistry,
  PriceList,
  PriceRegistry,
  RequestRates,
  Spending,
} from '../../src/limits/index.js';
import { SqlLimitCounters } from '../../src/limits/persistence/sql-limit-counters.js';
import { SqlSpending } from '../../src/limits/persistence/sql-spending.js';
import { type HubRequest, type Route, RoutingService } from '../../src/routing/index.js';
import { AppendParticipant } from '../../src/tasks/store/append-participant.js';
import { AgentCallbacks } from '../../src/tasks/callbacks/agent-callbacks.js';
import { AgentStopper } from '../../src/tasks/cancel/agent-stopper.js';
import { ContextStore } from '../../src/tasks/store/context-store.js';
import { GroupCommitTaskLog } from '../../src/tasks/log/group-commit-task-log.js';
import { TaskCleanup } from '../../src/tasks/cleanup/task-cleanup.js';
import { ChunkTurns } from '../../src/tasks/runner/chunk-turns.js';
import { TaskRunner } from '../../src/tasks/runner/task-runner.js';
import { QueueDepth } from '../../src/tasks/capacity/queue-depth.js';
import { Signals } from '../../src/tasks/signals/signals.js';
import { TaskLog } from '../../src/tasks/log/task-log.js';
import { TaskStore } from '../../src/tasks/store/task-store.js';
import type { StreamItem } from '../../src/tasks/reading/task-streams.js';
import { TaskService } from '../../src/tasks/operations/task.service.js';
import { TASK_PROVIDERS } from '../../src/tasks/tasks.module.js';
import { UsageLedger } from '../../src/tasks/quotas/usage-ledger.js';
import { eventually } from './eventually.js';
import { NO_DEVIATIONS } from './an-agent.js';
import { FakeAgentClient, type FakeAgent } from './fake-agents.js';
import { testSecrets } from './secret-box.js';
import { migratedSqlite } from './sqlite-template.js';

export const ALICE: Principal = { id: 'alice', organization: 'acme', scopes: new Set(['a2a']) };
export const BOB: Principal = { id: 'bob', organization: 'acme', scopes: new Set(['a2a']) };
export const EVE: Principal = { id: 'eve', organization: 'evil', scopes: new Set(['a2a']) };

class NoParticipant extends AppendParticipant {
  *appended(): Work<void> {}

  *forgetting(tx: Tx): Work<readonly string[]> {
    yield* tx.all('SELECT COUNT(*) AS n FROM tasks');
    return [];
  }
}

/** Keeps what was logged as an error: a test that expects none can look. */
export class KeptLog implements Log {
  readonly errors: { fields: object; message: string }[] = [];
  /** The fields of each warning. */
  readonly warnings: object[] = [];
  readonly debugged: string[] = [];
  debug(_fields: object, message: string): void {
    this.debugged.push(message);
  }
  info(): void {}
  warn(fields: object): void {
    this.warnings.push(fields);
  }
  error(fields: object, message: string): void {
    this.errors.push({ fields, message });
  }
}

export interface HubTasksOptions {
  readonly agents?: readonly FakeAgent[];
  readonly config?: ConfigOverrides;
  readonly clock?: Clock;
  readonly database?: Database;
  readonly ids?: IdSource;
  /** Without a runner this is an `api` process. */
  readonly worker?: boolean;
  /** More than one organization has keys. Default: only one. */
  readonly several?: boolean;
  /** Reaches the agents in another way than as {@link FakeAgent}s. */
  readonly client?: AgentClient;
  /** Instead of the route that the tags of the directive name. */
  readonly route?: (request: HubRequest) => Route;
  /** What the log has in memory is taken for the newest, as a hub on SQLite does. */
  readonly soleProcess?: boolean;
}

const NO_LIMITS = {
  hasTargets: false,
  ofOrganization: () => undefined,
  ofPrincipal: () => undefined,
  ofTarget: () => [],
  budgetsOf: () => [],
  changes: 0,
};

/** Short pauses, so that nothing in a test takes long unless it says so. */
const QUICK: ConfigOverrides = {
  agents: { pollMinMs: 20, pollMaxMs: 40, cancelWaitMs: 300, firstEventMs: 2000 },
  tasks: { firstEventWaitMs: 200, blockingWaitMs: 5000 },
  server: { drainMs: 200 },
};

/** The tasks of one hub process on a real database, with agents in memory. */
export class HubTasks {
  readonly output = new KeptLog();
  readonly draining = new Draining();
  /** What reading the registry again brings: nothing, unless a test says so. */
  renewAgents = (): Promise<void> => Promise.resolve();
  /** Whether an agent may be asked: always, unless a test says otherwise. */
  admit: (agentId: string) => Admission = () => ({ kind: 'go' });
  /** The disk has room, unless a test says otherwise. */
  refuseWhenLow = (): void => undefined;
  readonly load: AgentLoads;
  private app!: INestApplicationContext;

  private constructor(
    readonly database: Database,
    readonly agents: Map<string, FakeAgent>,
    private readonly options: HubTasksOptions,
  ) {
    this.load = new AgentLoads({ known: (id) => agents.get(id)?.record }, this.config);
  }

  static async start(options: HubTasksOptions = {}): Promise<HubTasks> {
    const database = options.database ?? (await migratedSqlite());
    const agents = new Map((options.agents ?? []).map((agent) => [agent.id, agent]));
    const hub = new HubTasks(database, agents, options);
    class HubTasksModule {}
    const providers = [...TASK_PROVIDERS, ...hub.surroundings()];
    hub.app = await NestFactory.createApplicationContext(
      { module: HubTasksModule, providers },
      { logger: false, abortOnError: false },
    );
    // Where several processes count, they do it until they are told to stop; no test here looks.
    await hub.usage.read();
    if (database.soleProcess) await hub.queueDepth.start(hub.runner.owner);
    if (options.worker !== false) await hub.runner.start();
    return hub;
  }

  get signals(): Signals {
    return this.app.get(Signals);
  }

  get store(): TaskStore {
    return this.app.get(TaskStore);
  }

  get log(): TaskLog {
    return this.app.get(TaskLog);
  }

  get service(): TaskService {
    return this.app.get(TaskService);
  }

  get runner(): TaskRunner {
    return this.app.get(TaskRunner);
  }

  get cleanup(): TaskCleanup {
    return this.app.get(TaskCleanup);
  }

  /** Kills agents, but does not disable them: these have no registry. */
  get stopper(): AgentStopper {
    return this.app.get(AgentStopper);
  }

  get queueDepth(): QueueDepth {
    return this.app.get(QueueDepth);
  }

  get contexts(): ContextStore {
    return this.app.get(ContextStore);
  }

  get callbacks(): AgentCallbacks {
    return this.app.get(AgentCallbacks);
  }

  get settings(): HubSettings {
    return this.app.get(HubSettings);
  }

  get usage(): UsageLedger {
    return this.app.get(UsageLedger);
  }

  private get config(): AppConfig {
    const { config = {} } = this.options;
    return configWith({
      ...config,
      agents: { ...QUICK.agents, ...config.agents },
      tasks: { ...QUICK.tasks, ...config.tasks },
      server: { ...QUICK.server, ...config.server },
    });
  }

  /** What the tasks get of the other modules. */
  private surroundings(): Provider[] {
    const { agents, database, options } = this;
    const { clock = new SystemClock(), ids = new SystemIdSource() } = options;
    const { route = (request: HubRequest) => this.route(request) } = options;
    const record = (id: string): Agent | undefined => agents.get(id)?.record;
    const values: readonly (readonly [Type<unknown> | Abstract<unknown>, unknown])[] = [
      [AppConfig, this.config],
      [Clock, clock],
      [AuditLog, auditLogIn(database, clock, ids, this.config.audit)],
      [IdSource, ids],
      [Log, this.output],
      [ModuleLogs, new ModuleLogs(this.output, 'info', {})],
      [Tracing, new NoTracing()],
      [SecretBox, testSecrets()],
      [Draining, this.draining],
      [Database, database],
      [HubSettings, new HubSettings(database, ids, testSecrets())],
      [DiskWatch, { space: null, refuseWhenLow: () => this.refuseWhenLow() }],
      [WorkerWatch, { hasNoWorkers: false }],
      [CallerOrganizations, oneOrSeveral(options.several ?? false)],
      [PrincipalStore, {}],
      [PresentCallers, { checkOf: () => (): readonly never[] => [] }],
      [LimitCounters, new SqlLimitCounters(database)],
      [LimitRegistry, NO_LIMITS],
      [RequestRates, { hasTargets: false, isApart: false, onRefused: () => undefined }],
      [PriceRegistry, { list: new PriceList([]) }],
      [Spending, new SqlSpending(database)],
      [AppendParticipant, new NoParticipant()],
      // Each chunk at once: a clock that stands still has one turn.
      [ChunkTurns, new ChunkTurns(clock, 0)],
      [AgentLoad, this.load],
      [AgentHealth, { admit: (id: string) => this.admit(id), taskEnded: () => undefined }],
      [AgentDeviations, NO_DEVIATIONS],
      [AgentClient, options.client ?? new FakeAgentClient(agents)],
      [
        AgentRegistry,
        {
          get: record,
          known: record,
          registeredAt: record,
          knownAt: record,
          registrationsOf: ({ createdAt }: Agent) => [createdAt],
          renew: () => this.renewAgents(),
          isOpenTo: () => true,
          mayGoOn: () => true,
          prepare: () => undefined,
          refusalOf: () => undefined,
        },
      ],
      [UserConsents, {}],
      [PublicUrl, { ofA2a: null }],
      [AgentsService, { disable: (id: string) => Promise.resolve(record(id)) }],
      [RoutingService, { route: async (request: object) => route(request as HubRequest) }],
    ];
    const log = {
      provide: TaskLog,
      inject: [TaskStore, Signals],
      useFactory: (store: TaskStore, signals: Signals) =>
        new GroupCommitTaskLog(store, signals, clock, this.output, options.soleProcess),
    };
    return [...values.map(([provide, useValue]) => ({ provide, useValue })), log];
  }

  /** The next process on the same database, after this one was killed. */
  async successor(options: HubTasksOptions = {}): Promise<HubTasks> {
    return HubTasks.start({
      agents: [...this.agents.values()],
      ...options,
      database: this.database,
    });
  }

  /** Sends a text; `to` names the agents (several: strategy `all`). */
  request(text: string, options: RequestOptions = {}): HubRequest {
    const { message, to, ...rest } = options;
    return {
      principal: ALICE,
      version: '1.0',
      agentId: undefined,
      extensions: [],
      activated: new Set(),
      traceparent: undefined,
      hops: [],
      idempotencyKey: undefined,
      lastEventId: undefined,
      configuration: undefined,
      metadata: undefined,
      directive: to === undefined ? {} : { tags: to },
      returnImmediately: false,
      ...rest,
      message: { ...userMessage(text), ...message },
    };
  }

  async send(text: string, options: RequestOptions = {}): Promise<Task> {
    const answer = await this.service.send(this.request(text, options));
    if (answer.kind !== 'task') throw new Error('the answer is a message');
    return answer.task;
  }

  /** Sends without waiting for the end. */
  begin(text: string, options: RequestOptions = {}): Promise<Task> {
    return this.send(text, { ...options, returnImmediately: true });
  }

  reply(task: Task, text: string, options: RequestOptions = {}): Promise<Task> {
    return this.send(text, { ...options, message: { ...options.message, taskId: task.id } });
  }

  async get(taskId: string): Promise<Task> {
    return this.service.get(taskId, undefined, this.request(''));
  }

  /** The task once it is in this state; fails after two seconds. */
  async until(taskId: string, state: TaskState): Promise<Task> {
    return eventually(async () => {
      const task = await this.get(taskId);
      if (task.status?.state !== state) {
        throw new Error(`the task is ${TaskState[task.status?.state ?? 0]}: ${statusText(task)}`);
      }
      return task;
    });
  }

  async kinds(taskId: string): Promise<string[]> {
    return (await this.log.events(taskId, 0, 1000)).map(({ kind }) => kind);
  }

  /** `tags` of the directive stand for agents: the first `one` that exists, or all of them. */
  private route({ directive, agentId }: HubRequest): Route {
    const wanted = agentId ? [agentId] : (directive.tags ?? [...this.agents.keys()]);
    const chosen = wanted.map((id) => ({ agentId: id, why: 'named by the test' }));
    return {
      reason: 'tags',
      strategy: directive.strategy ?? 'one',
      require: directive.require ?? 'all',
      chosen,
      skipped: [],
      ...(directive.deadlineSeconds !== undefined && {
        deadlineMs: directive.deadlineSeconds * 1000,
      }),
    };
  }
}

function oneOrSeveral(several: boolean): Pick<CallerOrganizations, 'areSeveral' | 'onAdded'> {
  return {
    areSeveral: () => Promise.resolve(several),
    onAdded: () => () => undefined,
  };
}

export type RequestOptions = Partial<Omit<HubRequest, 'message'>> & {
  readonly message?: Partial<Message>;
  readonly to?: readonly string[];
};

export function userMessage(text: string): Message {
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

export function statusText(task: Task): string {
  return textsOf(task.status?.message?.parts ?? []).join(' ');
}

export function artifactTexts(task: Task): string[] {
  return task.artifacts.flatMap((artifact) => textsOf(artifact.parts));
}

function textsOf(parts: Message['parts']): string[] {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : ''));
}

/** What a stream shows, in short: `task SUBMITTED`, `WORKING text`, `artifact text`, `message text`. */
export function shown({ body }: StreamItem): string {
  const payload: StreamResponse['payload'] =
    typeof body === 'string'
      ? StreamResponse.fromJSON(JSON.parse(body)).payload
      : { $case: 'task', value: body };
  switch (payload?.$case) {
    case 'task':
      return `task ${nameOf(payload.value.status?.state)}`;
    case 'statusUpdate': {
      const texts = textsOf(payload.value.status?.message?.parts ?? []);
      return [nameOf(payload.value.status?.state), ...texts].join(' ');
    }
    case 'artifactUpdate':
      return `artifact ${textsOf(payload.value.artifact?.parts ?? []).join(' ')}`;
    case 'message':
      return `message ${textsOf(payload.value.parts).join(' ')}`;
    default:
      return 'nothing';
  }
}

function nameOf(state: TaskState | undefined): string {
  return TaskState[state ?? TaskState.TASK_STATE_UNSPECIFIED].replace('TASK_STATE_', '');
}

/** All items of a stream, in short. */
export async function collect(stream: AsyncIterable<StreamItem>): Promise<string[]> {
  const items: string[] = [];
  for await (const item of stream) items.push(shown(item));
  return items;
}
