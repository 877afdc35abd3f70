import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Audience, Metrics } from '../../observability/metrics.js';
import { HEALTH_STATES } from './agent-health.js';
import { BREAKER_STATES } from '../../common/circuit-breaker.js';
import { AgentRegistry } from '../registry/agent-registry.js';
import { AgentCalls, type CallsOfAgent } from './agent-calls.js';
import { AgentLoads } from './agent-loads.js';
import { AgentMonitor } from './agent-monitor.js';

/** What everybody reads in place of the id of an agent that not everybody may use. */
const HIDDEN = '(hidden)';

/** The help of a metric by agent: what stands in place of ids that not every reader gets. */
function addedUp(what: string): string {
  return `${what}; without a key of the scope agents, agents that not everybody may use are added up as ${HIDDEN}.`;
}

/** How the registered agents stand, as numbers; the series of an agent end when it is deleted. */
@Injectable()
export class AgentMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly registry: AgentRegistry,
    private readonly monitor: AgentMonitor,
    private readonly loads: AgentLoads,
    private readonly calls: AgentCalls,
  ) {}

  onModuleInit(): void {
    const { metrics } = this;
    metrics.gauge(
      'agent_health',
      addedUp('1 for the present health state of an agent, as this process sees it'),
      ['agent', 'state'],
      (give, audience) =>
        this.each(audience, (agent, { health }) => {
          for (const state of HEALTH_STATES) give({ agent, state }, Number(state === health));
        }),
    );
    metrics.gauge(
      'agent_breaker',
      addedUp("1 for the present state of an agent's circuit breaker"),
      ['agent', 'state'],
      (give, audience) =>
        this.each(audience, (agent, { breaker }) => {
          for (const state of BREAKER_STATES) give({ agent, state }, Number(state === breaker));
        }),
    );
    metrics.gauge(
      'agent_tasks_ended',
      addedUp(
        'Tasks an agent completed, or failed by its own fault, since this process has known it',
      ),
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
      addedUp('Delegations that an agent is working on for this process'),
      ['agent'],
      (give, audience) =>
        this.shown(audience, (agent, id) => give({ agent }, this.loads.outstandingOf(id))),
    );
    metrics.gauge(
      'agent_queued',
      addedUp('Delegations queued for an agent'),
      ['agent'],
      (give, audience) => this.each(audience, (agent, { queued }) => give({ agent }, queued)),
    );
    metrics.gauge(
      'agent_connecting',
      addedUp('Calls to an agent that wait for a connection or a permit'),
      ['agent'],
      (give, audience) =>
        this.each(audience, (agent, _condition, id) =>
          give({ agent }, this.loads.connectingOf(id)),
        ),
    );
    metrics.totals(
      'agent_calls_total',
      addedUp(
        'Calls of this process to an agent, by operation and outcome (ok, unreachable, rejected, interrupted, invalid, not-found, late, empty: a stream without an event, dropped: the hub needed it no more, hub: its own fault)',
      ),
      ['agent', 'operation', 'outcome'],
      (give, audience) =>
        this.eachCalled(audience, (agent, { counts }) => {
          for (const [operation, outcomes] of counts) {
            for (const [outcome, count] of outcomes) give({ agent, operation, outcome }, count);
          }
        }),
    );
    metrics.spreads(
      'agent_answer_seconds',
      addedUp(
        'Seconds until an agent had answered a call that was answered, streams not among them',
      ),
      ['agent'],
      (give, audience) =>
        this.eachCalled(audience, (agent, { answers }) => give({ agent }, answers)),
    );
    metrics.spreads(
      'agent_first_event_seconds',
      addedUp('Seconds until the first event of a stream of an agent'),
      ['agent'],
      (give, audience) =>
        this.eachCalled(audience, (agent, { firstEvents }) => give({ agent }, firstEvents)),
    );
  }

  /** Of the calls to each agent that was called. */
  private eachCalled(audience: Audience, use: (agent: string, calls: CallsOfAgent) => void): void {
    this.shown(audience, (agent, id) => {
      const calls = this.calls.of(id);
      if (calls !== undefined) use(agent, calls);
    });
  }

  private each(
    audience: Audience,
    use: (agent: string, condition: ReturnType<AgentMonitor['viewOf']>, id: string) => void,
  ): void {
    this.shown(audience, (agent, id) => use(agent, this.monitor.viewOf(id), id));
  }

  private shown(audience: Audience, use: (agent: string, id: string) => void): void {
    for (const { id, enabled, organizations } of this.registry.all()) {
      const isShown = audience === 'operator' || (enabled && organizations === null);
      use(isShown ? id : HIDDEN, id);
    }
  }
}
