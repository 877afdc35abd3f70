import { Inject, Injectable } from '@nestjs/common';
import { runLimits } from '../../common/capacity.js';
import { AppConfig } from '../../config/index.js';
import { AgentLoad, type AgentQueue, type QueueAsker } from './agent-load.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { mayJoin } from './domain/queue-share.js';

/** {@link AgentLoad} in memory. Agents with nothing to do take no room. */
@Injectable()
export class AgentLoads extends AgentLoad {
  private readonly working = new Map<string, number>();
  private others: ReadonlyMap<string, number> = new Map();
  private readonly queues = new Map<string, AgentQueue>();
  private readonly unconnected = new Map<string, number>();

  constructor(
    @Inject(AgentRegistry) private readonly registry: Pick<AgentRegistry, 'known'>,
    @Inject(AppConfig) private readonly config: Pick<AppConfig, 'agents' | 'tasks'>,
  ) {
    super();
  }

  begun(agentId: string): void {
    set(this.working, agentId, this.outstandingOf(agentId) + 1);
  }

  ended(agentId: string): void {
    set(this.working, agentId, this.outstandingOf(agentId) - 1);
  }

  elsewhere(counts: ReadonlyMap<string, number>): void {
    this.others = counts;
  }

  waiting(agentId: string, queue: AgentQueue | undefined): void {
    if (queue === undefined) this.queues.delete(agentId);
    else this.queues.set(agentId, queue);
  }

  connecting(agentId: string, by: number): void {
    set(this.unconnected, agentId, this.connectingOf(agentId) + by);
  }

  maxConcurrent(agentId: string): number {
    const agent = this.registry.known(agentId);
    if (!agent?.enabled || agent.deletedAt !== null) return Infinity;
    return agent.maxConcurrent ?? runLimits(this.config.tasks).perAgent;
  }

  /** Of this process: exact. */
  outstandingOf(agentId: string): number {
    return this.working.get(agentId) ?? 0;
  }

  /** Of all processes: what others have is as old as their last count. */
  outstandingOverall(agentId: string): number {
    return this.outstandingOf(agentId) + (this.others.get(agentId) ?? 0);
  }

  queuedOf(agentId: string): number {
    return this.queues.get(agentId)?.total ?? 0;
  }

  connectingOf(agentId: string): number {
    return this.unconnected.get(agentId) ?? 0;
  }

  /** For a caller: by its share; without one: as a whole. */
  isFull(agentId: string, asker?: QueueAsker): boolean {
    const queue = this.queues.get(agentId);
    if (queue === undefined) return false;
    const most = this.registry.known(agentId)?.maxQueue ?? this.config.agents.maxQueue;
    if (asker === undefined || queue.total < most) return queue.total >= most;
    return !mayJoin(queue.shareOf(asker), most);
  }
}

function set(counts: Map<string, number>, agentId: string, count: number): void {
  if (count > 0) counts.set(agentId, count);
  else counts.delete(agentId);
}
