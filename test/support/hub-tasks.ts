import { randomUUID } from 'node:crypto';
import { HUB_SCHEMA } from '../../src/hub-schema.js';
import type { Admission, AgentClient } from '../../src/agents/index.js';
import { AgentLoads } from '../../src/agents/health/agent-loads.js';
import type { Principal } from '../../src/auth/index.js';
import type { Clock } from '../../src/common/clock.js';
import { SystemClock } from '../../src/common/clock.js';
import { Draining } from '../../src/common/draining.js';
import type { IdSource } from '../../src/common/ids.js';
import { SystemIdSource } from '../../src/common/ids.js';
import type { Log } from '../../src/common/logger.js';
import { configWith, type ConfigOverrides } from '../../src/config/index.js';
import type { Database } from '../../src/database/database.js';
import { HubSettings } from '../../src/database/hub-settings.js';
import { openDatabase } from '../../src/database/open-database.js';
import type { Tx, Work } from '../../src/database/sql.js';
import {
  Role,
  StreamResponse,
  TaskState,
  type Message,
  type Task,
} from '../../src/protocol/a2a.js';
import { textPart } from '../../src/protocol/build.js';
import type { HubRequest, Route } from '../../src/routing/index.js';
import { AppendParticipant } from '../../src/tasks/append-participant.js';
import { GroupCommitTaskLog } from '../../src/tasks/group-commit-task-log.js';
import { InProcessSignals } from '../../src/tasks/in-process-signals.js';
import type { AgentCallbacks } from '../../src/tasks/callbacks/agent-callbacks.js';
import type { AgentStopper } from '../../src/tasks/cancel/agent-stopper.js';
import { SqlAgentDelegations } from '../../src/tasks/persistence/sql-agent-delegations.js';
import { SqlCallbackStore } from '../../src/tasks/persistence/sql-callback.store.js';
import { SqlContextStore } from '../../src/tasks/persistence/sql-context.store.js';
import { SqlTaskStore } from '../../src/tasks/persistence/sql-task.store.js';
import type { Sweeper } from '../../src/tasks/runner/sweeper.js';
import type { WaitingLine } from '../../src/tasks/runner/waiting-line.js';
import type { TaskRunner } from '../../src/tasks/runner/task-runner.js';
import type { StreamItem } from '../../src/tasks/task-streams.js';
import { SqlUsageStore } from '../../src/tasks/persistence/sql-usage.store.js';
import { QuotaLimits } from '../../src/tasks/usage/quota-limits.js';
import { Quotas } from '../../src/tasks/usage/quotas.js';
import type { UsageLedger } from '../../src/tasks/usage/usage-ledger.js';
import type { TaskService } from '../../src/tasks/task.service.js';
import {
  agentCallbacks,
  agentStopper,
  sweeper,
  taskLists,
  taskRunner,
  taskService,
  usageLedger,
  waitingLine,
} from '../../src/tasks/task-wiring.js';
import { eventually } from './eventually.js';
import { NO_QUIRKS } from './an-agent.js';
import { FakeAgentClient, type FakeAgent } from './fake-agents.js';
import { testSecrets } from './secret-box.js';

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
  debug(): void {}
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

/** Short pauses, so that nothing in a test takes long unless it says so. */
const QUICK: ConfigOverrides = {
  agents: { pollMinMs: 20, pollMaxMs: 40, cancelWaitMs: 300, firstEventMs: 2000 },
  tasks: { firstEventWaitMs: 200, blockingWaitMs: 5000 },
  server: { drainMs: 200 },
};

/** The tasks of one hub process on a real database, with agents in memory. */
export class HubTasks {
  readonly output = new KeptLog();
  readonly signals = new InProcessSignals();
  readonly store: SqlTaskStore;
  readonly log: GroupCommitTaskLog;
  readonly service: TaskService;
  readonly runner: TaskRunner;
  readonly sweeper: Sweeper;
  /** Kills agents, but does not disable them: these have no registry. */
  readonly stopper: AgentStopper;
  readonly draining = new Draining();
  /** What reading the registry again brings: nothing, unless a test says so. */
  renewAgents = (): Promise<void> => Promise.resolve();
  /** Whether an agent may be asked: always, unless a test says otherwise. */
  admit: (agentId: string) => Admission = () => ({ kind: 'go' });
  readonly load: AgentLoads;
  readonly line: WaitingLine;
  readonly contexts: SqlContextStore;
  readonly callbacks: AgentCallbacks;
  readonly settings: HubSettings;

  readonly usage: UsageLedger;
  /** The disk has room, unless a test says otherwise. */
  refuseWhenLow = (): void => undefined;

  private constructor(
    readonly database: Database,
    readonly agents: Map<string, FakeAgent>,
    options: HubTasksOptions,
  ) {
    const { clock = new SystemClock(), ids = new SystemIdSource(), config = {} } = options;
    const { route = (request: HubRequest) => this.route(request) } = options;
    const { signals, output: logger } = this;
    this.store = new SqlTaskStore(database, new NoParticipant());
    this.log = new GroupCommitTaskLog(
      this.store,
      signals,
      clock,
      logger,
      undefined,
      options.soleProcess,
    );
    this.contexts = new SqlContextStore(database);
    this.settings = new HubSettings(database, ids, testSecrets());
    const merged = configWith({
      ...config,
      agents: { ...QUICK.agents, ...config.agents },
      tasks: { ...QUICK.tasks, ...config.tasks },
      server: { ...QUICK.server, ...config.server },
    });
    const limits = new QuotaLimits(merged.quotas, () => undefined);
    this.usage = usageLedger(this.store, new SqlUsageStore(database), limits, clock, logger);
    const callbackStore = new SqlCallbackStore(database);
    this.callbacks = agentCallbacks(
      merged,
      database,
      this.settings,
      callbackStore,
      signals,
      clock,
      logger,
    );
    const load = new AgentLoads({ known: (id) => agents.get(id)?.record }, merged);
    this.line = waitingLine(
      this.store,
      new SqlAgentDelegations(database),
      load,
      clock,
      logger,
      database,
    );
    this.load = load;
    const parts = {
      health: { admit: (id: string) => this.admit(id), taskEnded: () => undefined },
      quirks: NO_QUIRKS,
      load,
      line: this.line,
      tenants: {
        hasSeveralOrganizations: () => Promise.resolve(options.several ?? false),
        onAdded: () => () => undefined,
      },
      config: merged,
      callbacks: this.callbacks,
      callbackStore,
      database,
      settings: this.settings,
      registry: {
        get: (id: string) => agents.get(id)?.record,
        known: (id: string) => agents.get(id)?.record,
        renew: () => this.renewAgents(),
        mayUse: () => true,
      },
      client: options.client ?? new FakeAgentClient(agents),
      routing: { route: async (request: object) => route(request as HubRequest) },
      store: this.store,
      contexts: this.contexts,
      log: this.log,
      signals,
      clock,
      ids,
      logger,
      draining: this.draining,
      quotas: new Quotas(this.usage, { refuseWhenLow: () => this.refuseWhenLow() }),
      workers: { hasNoWorkers: false },
    };
    this.service = taskService(parts, taskLists(parts));
    this.runner = taskRunner(parts);
    this.sweeper = sweeper(parts);
    this.stopper = agentStopper(parts, new SqlAgentDelegations(database), {
      disable: (id) => Promise.resolve(agents.get(id)!.record),
    });
  }

  static async start(options: HubTasksOptions = {}): Promise<HubTasks> {
    const database =
      options.database ??
      (await openDatabase({ url: 'sqlite::memory:', synchronous: 'normal' }, HUB_SCHEMA));
    const agents = new Map((options.agents ?? []).map((agent) => [agent.id, agent]));
    const hub = new HubTasks(database, agents, options);
    // Where several processes count, they do it until they are told to stop; no test here looks.
    await hub.usage.read();
    if (database.dialect === 'sqlite') await hub.line.start();
    if (options.worker !== false) await hub.runner.start(database.dialect === 'sqlite');
    return hub;
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
  const { payload } = StreamResponse.fromJSON(JSON.parse(body));
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
