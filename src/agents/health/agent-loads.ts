import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/index.js';
import { AgentLoad } from '../agent-load.js';
import { AgentRegistry } from '../agent-registry.js';

/** {@link AgentLoad} in memory. Agents with nothing to do take no room. */
@Injectable()
export class AgentLoads extends AgentLoad {
  private readonly working = new Map<string, number>();
  private readonly queued = new Map<string, number>();

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

  waiting(agentId: string, delegations: number): void {
    set(this.queued, agentId, delegations);
  }

  maxConcurrent(agentId: string): number {
    const agent = this.registry.known(agentId);
    if (!agent?.enabled || agent.deletedAt !== null) return Infinity;
    const { maxPerAgent, maxConcurrent } = this.config.tasks;
    return agent.maxConcurrent ?? (maxPerAgent || Math.ceil(maxConcurrent / 4));
  }

  outstandingOf(agentId: string): number {
    return this.working.get(agentId) ?? 0;
  }

  queuedOf(agentId: string): number {
    return this.queued.get(agentId) ?? 0;
  }

  isFull(agentId: string): boolean {
    const queued = this.queuedOf(agentId);
    if (queued === 0) return false;
    return queued >= (this.registry.known(agentId)?.maxQueue ?? this.config.agents.maxQueue);
  }
}

function set(counts: Map<string, number>, agentId: string, count: number): void {
  if (count > 0) counts.set(agentId, count);
  else counts.delete(agentId);
}
