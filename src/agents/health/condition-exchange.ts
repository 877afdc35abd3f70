import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AppConfig } from '../../config/index.js';
import { Database } from '../../database/database.js';
import { WorkerWatch } from '../../database/worker-watch.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { ConditionStore, type StoredCondition } from '../registry/condition-store.js';
import { AgentMonitor } from './agent-monitor.js';
import { OthersConditions } from './others-conditions.js';

/** How often what has changed is written and read. */
const EVERY_MS = 1000;
/** How often is looked whether what this process has said is still there, and for what gone ones said. */
const CLEAN_EVERY_MS = 60_000;
/** Conditions of one query. */
const AT_ONCE = 1000;
/** Agents that others may know beyond twice those that are registered: their news may come before those of the registry. */
const SOME = 1000;

/**
 * Lets processes on one database know how the others have seen agents: one that calls agents writes how each stands when
 * that has changed, once a second at most, and one that chooses agents reads what has changed. A sole process does
 * neither.
 */
@Injectable()
export class ConditionExchange implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly job: BackgroundJob;
  private readonly id: string;
  private readonly writes: boolean;
  private readonly reads: boolean;
  /** Of which agents something is stored. */
  private readonly said = new Set<string>();
  private version = 0;
  private cleanedAt: number;

  constructor(
    private readonly monitor: AgentMonitor,
    private readonly others: OthersConditions,
    private readonly store: ConditionStore,
    private readonly registry: AgentRegistry,
    @Inject(WorkerWatch) { id }: Pick<WorkerWatch, 'id'>,
    @Inject(Database) { soleProcess }: Pick<Database, 'soleProcess'>,
    @Inject(AppConfig) { role }: Pick<AppConfig, 'role'>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.id = id;
    this.writes = !soleProcess && role !== 'api';
    this.reads = !soleProcess && role !== 'worker';
    this.cleanedAt = clock.monotonicMs();
    const rules = {
      name: 'conditions of agents',
      failure: 'how processes see agents could not be written or read',
      everyMs: EVERY_MS,
      run: () => this.run(),
    };
    this.job = new BackgroundJob(rules, clock, log);
  }

  onApplicationBootstrap(): void {
    if (this.writes) this.monitor.keepChanged();
    if (this.writes || this.reads) this.job.start();
  }

  /** What it has said counts for nothing from now on. */
  async onModuleDestroy(): Promise<void> {
    await this.job.stop();
    if (this.said.size === 0) return;
    await this.store
      .removeOf(this.id)
      .catch((error: unknown) =>
        this.log.warn(
          { err: error },
          'how this process has seen agents could not be removed; others forget it within seconds',
        ),
      );
  }

  private async run(): Promise<void> {
    if (this.writes) await this.write();
    if (this.reads) await this.read();
  }

  private async write(): Promise<void> {
    const gone = [...this.said].filter((id) => this.registry.get(id) === undefined);
    const changed = this.monitor.takeChanged();
    try {
      await this.store.put(
        this.id,
        changed.map((each) => this.stored(each)),
        gone,
      );
    } catch (error) {
      for (const { agent } of changed) this.monitor.markChanged(agent.id);
      throw error;
    }
    for (const { agent } of changed) this.said.add(agent.id);
    for (const id of gone) this.said.delete(id);
    await this.clean();
  }

  private async clean(): Promise<void> {
    const now = this.clock.monotonicMs();
    if (now - this.cleanedAt < CLEAN_EVERY_MS) return;
    this.cleanedAt = now;
    // Others take a process for gone that was suspended, or could not reach the database.
    if ((await this.store.cleanUp(this.id)) === this.said.size) return;
    for (const id of this.said) this.monitor.markChanged(id);
  }

  private async read(): Promise<void> {
    const before = this.others.found(await this.store.others(this.id));
    for (const { id, version } of before) await this.readOf(id, version);
    this.others.removeGone(
      2 * this.registry.all().length + SOME,
      (id) => this.registry.get(id) !== undefined,
    );
  }

  private async readOf(process: string, from: number): Promise<void> {
    for (let version = from; ;) {
      const conditions = await this.store.since(process, version, AT_ONCE);
      this.others.received(process, conditions);
      for (const { agentId } of conditions) this.monitor.received(agentId);
      if (conditions.length < AT_ONCE) return;
      version = conditions.at(-1)!.version;
    }
  }

  private stored({
    agent,
    seen,
  }: ReturnType<AgentMonitor['takeChanged']>[number]): StoredCondition {
    this.version += 1;
    return {
      process: this.id,
      agentId: agent.id,
      revision: agent.updatedAt.getTime(),
      version: this.version,
      health: seen.health,
      breaker: seen.breaker,
      verdict: seen.verdict,
      since: seen.since,
      lastError: seen.lastError,
    };
  }
}
