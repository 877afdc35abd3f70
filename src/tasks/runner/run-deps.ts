import { Inject, Injectable } from '@nestjs/common';
import {
  type AgentBudgets,
  AgentClient,
  AgentHealth,
  AgentLoad,
  AgentDeviations,
  AgentRegistry,
} from '../../agents/index.js';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { Tracing } from '../../common/tracing/tracing.js';
import { AppConfig } from '../../config/index.js';
import { HubSettings } from '../../database/hub-settings.js';
import { PriceRegistry } from '../../limits/index.js';
import { AgentCallbacks } from '../callbacks/agent-callbacks.js';
import { TaskConsents } from '../consents/task-consents.js';
import { ChunkTurns } from './chunk-turns.js';
import { DownstreamCancel } from './downstream-cancel.js';
import { ContextStore } from '../store/context-store.js';
import { TaskLog } from '../log/task-log.js';
import { type DownstreamTasks, TaskStore } from '../store/task-store.js';
import { TaskTokens } from '../store/task-tokens.js';
import { CancelPermits } from '../capacity/cancel-permits.js';
import { WaitingStreams } from '../capacity/waiting-streams.js';

/** The settings a run needs (`agents.*` and `tasks.*` of the configuration). */
export interface RunSettings {
  /** For agents without budgets of their own. */
  readonly budgets: AgentBudgets;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** What to do with a message that may or may not have reached its agent. */
  readonly resend: 'fail' | 'again';
  /** Whether an agent gets the artifacts of referenced tasks that it does not have. */
  readonly attachReferences: boolean;
}

/** What the runs of one process share. */
@Injectable()
export class RunDeps {
  readonly settings: RunSettings;
  /** Aborted when the runs are stopped: cuts what is still asked of agents for delegations that have ended. */
  readonly stop = new AbortController();
  private ownId: string | undefined;

  constructor(
    readonly log: TaskLog,
    private readonly store: TaskStore,
    readonly contexts: ContextStore,
    readonly client: AgentClient,
    readonly callbacks: AgentCallbacks,
    readonly downstreamCancel: DownstreamCancel,
    readonly cancelPermits: CancelPermits,
    @Inject(AgentLoad) readonly load: AgentLoad,
    @Inject(AgentHealth) readonly health: Pick<AgentHealth, 'admit' | 'taskEnded'>,
    @Inject(AgentDeviations) readonly deviations: Pick<AgentDeviations, 'note'>,
    @Inject(AgentRegistry) readonly registry: Pick<
      AgentRegistry,
      'known' | 'registeredAt' | 'knownAt' | 'registrationsOf' | 'isOpenTo' | 'renew'
    >,
    @Inject(PriceRegistry) readonly prices: Pick<PriceRegistry, 'list'>,
    readonly tokens: TaskTokens,
    @Inject(TaskConsents) readonly consents: Pick<TaskConsents, 'request' | 'resumeGiven'>,
    readonly chunkTurns: ChunkTurns,
    readonly waitingStreams: WaitingStreams,
    readonly clock: Clock,
    readonly ids: IdSource,
    readonly logger: Log,
    @Inject(Tracing) readonly tracing: Pick<Tracing, 'isOn' | 'within'>,
    @Inject(HubSettings) private readonly hub: Pick<HubSettings, 'instanceId'>,
    @Inject(AppConfig) { agents, tasks }: Pick<AppConfig, 'agents' | 'tasks'>,
  ) {
    this.settings = {
      budgets: agents,
      pollMinMs: agents.pollMinMs,
      pollMaxMs: agents.pollMaxMs,
      resend: tasks.resend,
      attachReferences: tasks.attachReferences,
    };
  }

  /** Reads what is needed once per process; resolves before the first run begins. */
  async prepare(): Promise<void> {
    this.ownId = await this.hub.instanceId();
  }

  /** This hub's own id, for `A2A-Hub-Hops`. */
  get instanceId(): string {
    if (this.ownId === undefined) throw new Error('the id of this hub has not been read');
    return this.ownId;
  }

  /** Which of the agents' tasks belong to which delegation. */
  get downstream(): DownstreamTasks {
    return this.store.downstream;
  }
}
