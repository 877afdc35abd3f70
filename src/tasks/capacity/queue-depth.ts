import { Inject, Injectable } from '@nestjs/common';
import { AgentLoad, type QueueAsker } from '../../agents/index.js';
import { BackgroundJob } from '../../common/background-job.js';
import { Clock } from '../../common/clock.js';
import { Log } from '../../common/logger.js';
import { AgentDelegations, type WaitingCount } from '../store/agent-delegations.js';
import { awaitsBreaker } from '../domain/unsent.js';
import { TaskStore } from '../store/task-store.js';
import type { Delegation } from '../task.js';
import { Database } from '../../database/database.js';
import { CountedQueue } from './counted-queue.js';
import { QueueTurns } from './queue-turns.js';

/** How often the queues and the work of all processes are counted. */
const COUNT_EVERY_MS = 1000;
/** A count that takes long is made less often: it takes no more than this part of the time ... */
const MOST_OF_TIME = 0.1;
/** ... unless it is that long ago. */
const LONGEST_MS = 5000;

type Queued = Pick<Delegation, 'agentId' | 'organization' | 'principalId'>;

/**
 * Counts the delegations that are queued for each agent, by organization and principal, reports that to
 * {@link AgentLoad} and gives those that enter a queue their turns. In a sole process the count is exact as
 * of the last commit. Where several share a database it is what one query a second finds, with this
 * process's own changes since: up to a second old. The same query finds what works at each agent for the others.
 */
@Injectable()
export class QueueDepth {
  /** Those that this process has seen entering a queue, by id, and since which count. */
  private readonly own = new Map<string, Queued & { readonly round: number }>();
  /** All that are queued: the last count over all processes, and {@link own}. */
  private queues = new Map<string, CountedQueue>();
  private readonly turns = new QueueTurns();
  private round = 0;
  /** Who works in this process, whose work is not counted with that of others; null: no work is counted. */
  private owner: string | null = null;
  private readonly job: BackgroundJob;

  constructor(
    @Inject(TaskStore)
    private readonly store: Pick<TaskStore, 'onClaimed' | 'onCommitted' | 'queueBy'>,
    private readonly delegations: AgentDelegations,
    @Inject(AgentLoad) private readonly load: Pick<AgentLoad, 'waiting' | 'elsewhere'>,
    private readonly clock: Clock,
    logger: Log,
    @Inject(Database) private readonly database: Pick<Database, 'soleProcess'>,
  ) {
    const rules = {
      name: 'queued delegations',
      failure: 'counting queued delegations failed',
      everyMs: COUNT_EVERY_MS,
      atOnce: true,
      run: () => this.count(),
    };
    this.job = new BackgroundJob(rules, clock, logger);
  }

  /**
   * Resolves when what is queued already is counted. `owner` has the delegations of this process; with null only
   * queues are counted.
   */
  async start(owner: string | null): Promise<void> {
    this.owner = owner;
    const { store, delegations, database, clock } = this;
    store.queueBy(({ id, agentId, principalId }) => {
      if (this.own.get(id)?.agentId === agentId) return undefined;
      return this.turns.next(agentId, principalId, clock.now().getTime());
    });
    store.onCommitted((written) => {
      for (const { delegation } of written) {
        const { id, state } = delegation;
        if (state === 'queued' && !awaitsBreaker(delegation)) this.entered(id, delegation);
        else this.left(id);
      }
    });
    store.onClaimed((claimed) => {
      for (const { delegations: each, adopted } of claimed) {
        // What was adopted was not queued.
        for (const delegation of each) {
          const { id } = delegation;
          if (!this.left(id) && !adopted.has(id)) this.change(delegation, -1);
        }
      }
    });
    if (!database.soleProcess) return this.job.start();
    for (const { id, turnAt, ...queued } of await delegations.waiting()) {
      this.entered(id, queued, turnAt);
    }
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  /** Whether anything is queued for this agent. */
  hasQueue(agentId: string): boolean {
    return (this.queues.get(agentId)?.total ?? 0) > 0;
  }

  /** How many of each organization, or of one, are queued for each agent. */
  waitingBy(
    organization: string | null,
  ): { readonly agentId: string; readonly organization: string; readonly count: number }[] {
    return [...this.queues].flatMap(([agentId, queue]) =>
      queue.byOrganization(organization).map((each) => ({ agentId, ...each })),
    );
  }

  /** It is queued for its agent from now on. */
  private entered(id: string, { agentId, organization, principalId }: Queued, turn?: number): void {
    const known = this.own.get(id);
    if (known?.agentId === agentId) return;
    if (known) this.left(id);
    const queued = { agentId, organization, principalId, round: this.round };
    this.own.set(id, queued);
    this.turns.entered(agentId, principalId, turn);
    this.change(queued, 1);
  }

  /** False when it was not known to be queued. */
  private left(id: string): boolean {
    const known = this.own.get(id);
    if (!known) return false;
    this.own.delete(id);
    this.turns.left(known.agentId, known.principalId);
    this.change(known, -1);
    return true;
  }

  private async count(): Promise<number> {
    this.round += 1;
    const { clock, delegations, owner } = this;
    const began = clock.monotonicMs();
    const counted =
      owner === null ? await delegations.waitingByPrincipal() : await this.withWork(owner);
    const tookMs = clock.monotonicMs() - began;
    this.take(counted);
    return Math.min(LONGEST_MS, Math.max(COUNT_EVERY_MS, tookMs / MOST_OF_TIME));
  }

  private async withWork(owner: string): Promise<readonly WaitingCount[]> {
    const { waiting, elsewhere } = await this.delegations.workOf(owner);
    this.load.elsewhere(elsewhere);
    return waiting;
  }

  private take(counted: readonly WaitingCount[]): void {
    const before = this.queues;
    this.queues = new Map();
    for (const { count, ...queued } of counted) this.add(queued, count);
    this.turns.recount(counted, this.clock.now().getTime());
    for (const [id, queued] of this.own) {
      // What this process had queued before is in the count now.
      if (queued.round < this.round) {
        this.own.delete(id);
        continue;
      }
      this.turns.entered(queued.agentId, queued.principalId);
      this.add(queued, 1);
    }
    for (const agentId of new Set([...before.keys(), ...this.queues.keys()])) this.report(agentId);
  }

  private change(queued: Queued, by: number): void {
    this.add(queued, by);
    this.report(queued.agentId);
  }

  private add({ agentId, organization, principalId }: Queued, by: number): void {
    const queue = this.queues.get(agentId) ?? new CountedQueue();
    const asker: QueueAsker = { organization, id: principalId };
    queue.add(asker, by);
    if (queue.total > 0) this.queues.set(agentId, queue);
    else this.queues.delete(agentId);
  }

  private report(agentId: string): void {
    this.load.waiting(agentId, this.queues.get(agentId));
  }
}
