import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Activity, timeName } from '../../observability/activity/activity.js';
import { AgentEvents } from './agent-events.js';
import { AgentMonitor } from './agent-monitor.js';

/** Counts the calls to agents and the changes of their health. */
@Injectable()
export class AgentActivity implements OnModuleInit {
  constructor(
    private readonly monitor: AgentMonitor,
    private readonly events: AgentEvents,
    private readonly activity: Activity,
  ) {}

  onModuleInit(): void {
    const { activity } = this;
    this.monitor.onCall(({ agentId, outcome, ms }) => {
      activity.count('calls', outcome, { agentId }, ms);
      activity.count('callTimes', timeName(ms), { agentId });
    });
    this.events.subscribe(({ change: { agentId, health, breaker } }) =>
      activity.count('conditions', `${health}/${breaker}`, { agentId }),
    );
  }
}
