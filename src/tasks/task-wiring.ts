import {
  AgentClient,
  AgentHealth,
  AgentLoad,
  AgentQuirks,
  AgentRegistry,
  type AgentsService,
} from '../agents/index.js';
import { ApiKeyStore, type PrincipalStore } from '../auth/index.js';
import { runLimits } from '../common/capacity.js';
import { Clock } from '../common/clock.js';
import { Draining } from '../common/draining.js';
import { IdSource } from '../common/ids.js';
import { Log } from '../common/logger.js';
import { AppConfig } from '../config/index.js';
import { HubSettings } from '../database/hub-settings.js';
import { Database } from '../database/database.js';
import { WorkerWatch } from '../database/worker-watch.js';
import { RoutingService } from '../routing/index.js';
import { AgentCallbacks } from './callbacks/agent-callbacks.js';
import { CallbackStore } from './callbacks/callback-store.js';
import type { AgentDelegations } from './agent-delegations.js';
import { AgentFarewell } from './cancel/agent-farewell.js';
import { AgentStopper } from './cancel/agent-stopper.js';
import { TaskCanceler } from './cancel/task-canceler.js';
import { ContextStore } from './context-store.js';
import { TaskOperator } from './operate/task-operator.js';
import { Farewells } from './runner/farewells.js';
import type { RunDeps } from './runner/run-deps.js';
import { Sweeper } from './runner/sweeper.js';
import { TaskRunner } from './runner/task-runner.js';
import { WaitingLine } from './runner/waiting-line.js';
import { TaskStarter } from './send/task-starter.js';
import { Signals } from './signals.js';
import { IN_PROCESS_PACE, type PollPace, SHARED_PACE } from './task-bell.js';
import { TaskLists } from './task-lists.js';
import { TaskLog } from './task-log.js';
import { TaskStore } from './task-store.js';
import { TaskStreams } from './task-streams.js';
import { TaskWaits } from './task-waits.js';
import { TaskService } from './task.service.js';
import { UsageLedger } from './usage/usage-ledger.js';
import type { QuotaLimits } from './usage/quota-limits.js';
import { Quotas } from './usage/quotas.js';
import type { UsageStore } from './usage/usage-store.js';

/** How often a runner looks for work by itself; more often where rings do not reach it. */
const LOOK_EVERY_MS = { sqlite: 1000, postgres: 250 } as const;
/** How long a clean stop waits at most for the first answers of messages on their way. */
const MAX_STOP_GRACE_MS = 5000;

/** All that the services and the runner of tasks are made of; one object, so that one place wires it. */
export interface TaskParts {
  readonly config: Pick<AppConfig, 'tasks' | 'agents' | 'server'>;
  readonly callbacks: AgentCallbacks;
  readonly callbackStore: CallbackStore;
  readonly database: Pick<Database, 'dialect'>;
  readonly settings: Pick<HubSettings, 'instanceId' | 'pageTokenSecret'>;
  readonly registry: Pick<AgentRegistry, 'get' | 'known' | 'renew' | 'mayUse'>;
  readonly client: AgentClient;
  readonly health: Pick<AgentHealth, 'admit' | 'taskEnded'>;
  readonly quirks: Pick<AgentQuirks, 'note'>;
  readonly load: AgentLoad;
  readonly line: WaitingLine;
  readonly tenants: Pick<ApiKeyStore, 'hasSeveralOrganizations' | 'onAdded'>;
  readonly routing: Pick<RoutingService, 'route'>;
  readonly store: TaskStore;
  readonly contexts: ContextStore;
  readonly log: TaskLog;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Log;
  readonly draining: Draining;
  readonly quotas: Quotas;
  readonly workers: Pick<WorkerWatch, 'hasNoWorkers'>;
}

/** The tokens of {@link TaskParts}, in the order {@link partsOf} takes them. */
export const TASK_PARTS = [
  AppConfig,
  Database,
  HubSettings,
  AgentRegistry,
  AgentClient,
  AgentHealth,
  AgentQuirks,
  AgentLoad,
  WaitingLine,
  ApiKeyStore,
  AgentCallbacks,
  CallbackStore,
  RoutingService,
  TaskStore,
  ContextStore,
  TaskLog,
  Signals,
  Clock,
  IdSource,
  Log,
  Draining,
  Quotas,
  WorkerWatch,
];

export function partsOf(
  config: AppConfig,
  database: Database,
  settings: HubSettings,
  registry: AgentRegistry,
  client: AgentClient,
  health: AgentHealth,
  quirks: AgentQuirks,
  load: AgentLoad,
  line: WaitingLine,
  tenants: ApiKeyStore,
  callbacks: AgentCallbacks,
  callbackStore: CallbackStore,
  routing: RoutingService,
  store: TaskStore,
  contexts: ContextStore,
  log: TaskLog,
  signals: Signals,
  clock: Clock,
  ids: IdSource,
  logger: Log,
  draining: Draining,
  quotas: Quotas,
  workers: WorkerWatch,
): TaskParts {
  return {
    config,
    database,
    settings,
    registry,
    client,
    health,
    quirks,
    load,
    line,
    tenants,
    callbacks,
    callbackStore,
    routing,
    store,
    contexts,
    log,
    signals,
    clock,
    ids,
    logger,
    draining,
    quotas,
    workers,
  };
}

/** Counts what everybody uses, in any role. */
export function usageLedger(
  store: TaskStore,
  usage: UsageStore,
  limits: QuotaLimits,
  clock: Clock,
  logger: Log,
): UsageLedger {
  const ledger = new UsageLedger({ store: usage, limits, clock, logger });
  store.onUsed((changes) => ledger.committed(changes));
  return ledger;
}

/** Counts what waits for agents, in any role. */
export function waitingLine(
  store: TaskStore,
  delegations: AgentDelegations,
  load: AgentLoad,
  clock: Clock,
  logger: Log,
  { dialect }: Pick<Database, 'dialect'>,
): WaitingLine {
  const soleProcess = dialect === 'sqlite';
  return new WaitingLine({ store, delegations, load, clock, logger, soleProcess });
}

export function agentStopper(
  parts: TaskParts,
  delegations: AgentDelegations,
  agents: Pick<AgentsService, 'disable'>,
): AgentStopper {
  return new AgentStopper({
    delegations,
    log: parts.log,
    clock: parts.clock,
    disable: (agentId) => agents.disable(agentId),
    agent: agentOf(parts),
    soleProcess: parts.database.dialect === 'sqlite',
  });
}

/** What agents call back to, in any role: an address of this hub, if it has one to give. */
export function agentCallbacks(
  config: Pick<AppConfig, 'agents' | 'publicUrl'>,
  { dialect }: Pick<Database, 'dialect'>,
  settings: Pick<HubSettings, 'callbackSecret'>,
  store: CallbackStore,
  signals: Signals,
  clock: Clock,
  logger: Log,
): AgentCallbacks {
  return new AgentCallbacks({
    store,
    signals,
    clock,
    logger,
    secret: () => settings.callbackSecret(),
    mode: config.agents.callbacks,
    publicUrl: config.publicUrl,
    shared: dialect !== 'sqlite',
  });
}

export function taskLists({ store, settings, config }: TaskParts): TaskLists {
  return new TaskLists(store, () => settings.pageTokenSecret(), config.tasks.historyLimit);
}

/** Waits for what becomes of tasks; each who cancels or sends has one. */
function taskWaits({ log, signals, clock, draining, database }: TaskParts): TaskWaits {
  return new TaskWaits(log, signals, clock, paceOf(database), draining.signal);
}

function paceOf({ dialect }: TaskParts['database']): PollPace {
  return dialect === 'sqlite' ? IN_PROCESS_PACE : SHARED_PACE;
}

function taskCanceler(parts: TaskParts): TaskCanceler {
  const { log, signals, clock, config } = parts;
  const { cancelWaitMs } = config.agents;
  return new TaskCanceler({
    log,
    waits: taskWaits(parts),
    signals,
    clock,
    agent: agentOf(parts),
    cancelWaitMs,
  });
}

/** What operators do with single tasks. */
export function taskOperator(
  parts: TaskParts,
  service: TaskService,
  principals: PrincipalStore,
): TaskOperator {
  const { log, logger } = parts;
  return new TaskOperator({ log, logger, canceler: taskCanceler(parts), service, principals });
}

export function taskService(parts: TaskParts, lists: TaskLists): TaskService {
  const { config, log, clock, signals, draining, contexts, ids, routing, settings } = parts;
  const { totalMs } = config.agents;
  const { maxDurationMs, maxCalls, maxHops } = config.tasks;
  return new TaskService({
    log,
    clock,
    lists,
    waits: taskWaits(parts),
    streams: new TaskStreams(log, signals, clock, paceOf(parts.database), draining.signal),
    settings: config.tasks,
    agents: parts.registry,
    quotas: parts.quotas,
    starter: new TaskStarter({
      log,
      contexts,
      clock,
      ids,
      agent: (id) => parts.registry.get(id),
      route: (request, affinity) => routing.route(request, affinity),
      instanceId: () => settings.instanceId(),
      limits: { totalMs, maxDurationMs, maxCalls },
      maxHops,
      quotas: parts.quotas,
      workers: parts.workers,
    }),
    canceler: taskCanceler(parts),
  });
}

export function taskRunner(parts: TaskParts): TaskRunner {
  const { config, log, store, signals, clock, ids, logger } = parts;
  const owner = ids.next();
  const limits = runLimits(config.tasks);
  const farewells = new Farewells();
  return new TaskRunner({
    log,
    store,
    signals,
    clock,
    logger,
    owner,
    settings: {
      leaseMs: config.tasks.leaseMs,
      maxConcurrent: limits.runs,
      limitedBy: limits.limitedBy,
      lookEveryMs: LOOK_EVERY_MS[parts.database.dialect],
      stopGraceMs: Math.min(config.server.drainMs / 2, MAX_STOP_GRACE_MS),
    },
    load: parts.load,
    line: parts.line,
    tenants: parts.tenants,
    farewells,
    runDeps: () => runDeps(parts, owner, farewells),
  });
}

export function sweeper(parts: TaskParts): Sweeper {
  const { config, log, store, contexts, callbackStore: callbacks, clock, logger } = parts;
  const { contextTtlDays, retentionDays } = config.tasks;
  return new Sweeper({
    log,
    store,
    contexts,
    callbacks,
    clock,
    logger,
    contextTtlDays,
    retentionDays,
  });
}

async function runDeps(parts: TaskParts, owner: string, farewells: Farewells): Promise<RunDeps> {
  const { config, log, contexts, client, callbacks, clock, ids, logger, settings } = parts;
  const { connectMs, firstEventMs, idleMs, totalMs, cancelWaitMs } = config.agents;
  return {
    log,
    contexts,
    downstream: parts.store.downstream,
    client,
    callbacks,
    clock,
    ids,
    logger,
    owner,
    leaseMs: config.tasks.leaseMs,
    connecting: (agentId, by) => parts.load.connecting(agentId, by),
    farewell: farewellOf(parts),
    farewells,
    health: parts.health,
    quirks: parts.quirks,
    agent: agentOf(parts),
    mayUse: (by, agent) => parts.registry.mayUse(by, agent),
    renewAgents: () => parts.registry.renew(),
    settings: {
      budgets: { connectMs, firstEventMs, idleMs, totalMs, cancelWaitMs },
      pollMinMs: config.agents.pollMinMs,
      pollMaxMs: config.agents.pollMaxMs,
      resend: config.tasks.resend,
      attachReferences: config.tasks.attachReferences,
    },
    instanceId: await settings.instanceId(),
  };
}

/** Agents of open delegations: also deleted ones, which can still be polled and canceled. */
function agentOf({ registry }: TaskParts): RunDeps['agent'] {
  return (id) => registry.known(id);
}

function farewellOf(parts: TaskParts): AgentFarewell {
  const { client, clock, logger, config, settings } = parts;
  const { cancelWaitMs } = config.agents;
  return new AgentFarewell({
    client,
    clock,
    logger,
    cancelWaitMs,
    agent: agentOf(parts),
    instanceId: () => settings.instanceId(),
  });
}
