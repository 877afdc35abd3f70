import { Injectable } from '@nestjs/common';
import { mapInSlices } from '../../common/slices.js';
import type { Agent } from '../agent.js';
import { UnreadAgents } from '../registration/unread-agents.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentMonitor } from '../health/agent-monitor.js';
import { agentTrouble } from '../health/agent-trouble.js';

/** `troubled`: something is wrong with it. Each agent is of one of the others: `failing` by its verdict, else by its health. */
export const HEALTH_FILTERS = [
  'troubled',
  'failing',
  'healthy',
  'degraded',
  'down',
  'unknown',
] as const;
export type HealthFilter = (typeof HEALTH_FILTERS)[number];

/** Which agents are so at this moment, as far as this process knows. */
@Injectable()
export class AgentsByHealth {
  constructor(
    private readonly registry: AgentRegistry,
    private readonly unread: UnreadAgents,
    private readonly monitor: AgentMonitor,
  ) {}

  async ids(wanted: HealthFilter): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    await mapInSlices([...this.registry.all(), ...this.unread.all()], (agent) => {
      if (this.isSo(agent, wanted)) found.add(agent.id);
    });
    return found;
  }

  private isSo(agent: Agent, wanted: HealthFilter): boolean {
    const view = this.monitor.viewOf(agent.id);
    if (wanted === 'troubled') return agentTrouble(agent, view) !== null;
    return (view.verdict === 'failing' ? view.verdict : view.health) === wanted;
  }
}
