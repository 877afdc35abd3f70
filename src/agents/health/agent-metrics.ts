import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Audience, Metrics } from '../../observability/metrics.js';
import { HEALTH_STATES } from './agent-health.js';
import { BREAKER_STATES } from '../../common/circuit-breaker.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentLoads } from './agent-loads.js';
import { AgentMonitor } from './agent-monitor.js';

/** What everybody reads in place of the id of an agent that not everybody may use. */
const HIDDEN = '(hidden)';

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
      '1 for the present health state of an agent, as this process sees it; agents that not everybody may use are added up as (hidden).',
      ['agent', 'state'],
      (give, audience) =>
        this.each(audience, (agent, { health }) => {
          for (const state of HEALTH_STATES) give({ agent, state }, Number(state === health));
        }),
    );
    metrics.gauge(
      'agent_breaker',
      "1 for the present state of an agent's circuit breaker; agents that not everybody may use are added up as (hidden).",
      ['agent', 'state'],
      (give, audience) =>
        this.each(audience, (agent, { breaker }) => {
          for (const state of BREAKER_STATES) give({ agent, state }, Number(state === breaker));
        }),
    );
    metrics.gauge(
      'agent_tasks_ended',
      'Tasks an agent completed, or failed by its own fault, since this process has known it; agents that not everybody may use are added up as (hidden).',
      ['agent', 'result'],
      (give, audience) =>
        this.each(audience, (agent, { tasksEnded: { completed, failed } }) => {
          give({ agent, result: 'completed' }, completed);
          give({ agent, result: 'failed' }, failed);
        }),
    );
    metrics.gauge(
      'agent_task_failure_rate',
      'The share of the last tasks of an agent that failed by its own fault, each organization weighing the same.',
      ['agent'],
      (give, audience) =>
        this.each(audience, (agent, { taskFailureRate }) => {
          if (agent !== HIDDEN && taskFailureRate !== null) give({ agent }, taskFailureRate);
        }),
    );
    metrics.gauge(
      'agent_outstanding',
      'Delegations that an agent is working on for this process.',
      ['agent'],
      (give, audience) =>
        this.each(audience, (agent, { outstanding }) => give({ agent }, outstanding)),
    );
    metrics.gauge('agent_queued', 'Delegations queued for an agent.', ['agent'], (give, audience) =>
      this.each(audience, (agent, { queued }) => give({ agent }, queued)),
    );
    metrics.gauge(
      'agent_connecting',
      'Calls to an agent that wait for a connection or a permit.',
      ['agent'],
      (give, audience) =>
        this.each(audience, (agent, _condition, id) =>
          give({ agent }, this.loads.connectingOf(id)),
        ),
    );
  }

  private each(
    audience: Audience,
    use: (agent: string, condition: ReturnType<AgentMonitor['viewOf']>, id: string) => void,
  ): void {
    for (const { id, enabled, organizations } of this.registry.all()) {
      const isShown = audience === 'operator' || (enabled && organizations === null);
      use(isShown ? id : HIDDEN, this.monitor.viewOf(id), id);
    }
  }
}
