import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../../observability/metrics.js';
import { BREAKER_STATES, HEALTH_STATES } from '../agent-health.js';
import { AgentRegistry } from '../agent-registry.js';
import { AgentLoads } from './agent-loads.js';
import { AgentMonitor } from './agent-monitor.js';

/** How the registered agents stand, as numbers; the series of an agent end when it is deleted. */
@Injectable()
export class AgentMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly registry: AgentRegistry,
    private readonly monitor: AgentMonitor,
    private readonly loads: AgentLoads,
  ) {}

  onModuleInit(): void {
    const { metrics } = this;
    metrics.gauge(
      'agent_health',
      '1 for the health an agent has, as this process sees it.',
      ['agent', 'state'],
      (give) =>
        this.each((agent, { health }) => {
          for (const state of HEALTH_STATES) give({ agent, state }, Number(state === health));
        }),
    );
    metrics.gauge(
      'agent_breaker',
      "1 for the state of an agent's breaker.",
      ['agent', 'state'],
      (give) =>
        this.each((agent, { breaker }) => {
          for (const state of BREAKER_STATES) give({ agent, state }, Number(state === breaker));
        }),
    );
    metrics.gauge(
      'agent_outstanding',
      'Delegations an agent works on for this process.',
      ['agent'],
      (give) => this.each((agent, { outstanding }) => give({ agent }, outstanding)),
    );
    metrics.gauge('agent_queued', 'Delegations that wait for an agent.', ['agent'], (give) =>
      this.each((agent, { queued }) => give({ agent }, queued)),
    );
    metrics.gauge(
      'agent_connecting',
      'Calls for an agent that wait for a connection, or for their turn.',
      ['agent'],
      (give) => this.each((agent) => give({ agent }, this.loads.connectingOf(agent))),
    );
  }

  private each(
    use: (agentId: string, condition: ReturnType<AgentMonitor['viewOf']>) => void,
  ): void {
    for (const { id } of this.registry.all()) use(id, this.monitor.viewOf(id));
  }
}
