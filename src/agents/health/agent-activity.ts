import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Activity, timeName } from '../../observability/activity/activity.js';
import type { AgentFailureKind } from '../binding/public-failure.js';
import { type AgentCallOutcome, AgentCalls } from './agent-calls.js';
import { AgentEvents } from './agent-events.js';

/** What an outcome is called in what is counted by the minute; null: the agent did nothing. */
const NAMES: Readonly<Record<AgentCallOutcome, 'answered' | AgentFailureKind | null>> = {
  ok: 'answered',
  unreachable: 'unreachable',
  rejected: 'rejected',
  interrupted: 'interrupted',
  invalid: 'invalid',
  'not-found': 'not-found',
  late: 'interrupted',
  empty: 'interrupted',
  dropped: null,
  hub: null,
};

/** Counts the calls to agents and the changes of their health. */
@Injectable()
export class AgentActivity implements OnModuleInit {
  constructor(
    private readonly calls: AgentCalls,
    private readonly events: AgentEvents,
    private readonly activity: Activity,
  ) {}

  onModuleInit(): void {
    const { activity } = this;
    this.calls.onEnded(({ agentId, outcome, seconds }) => {
      const name = NAMES[outcome];
      if (name === null) return;
      // One that failed, at once or too late, says nothing of how long an answer takes.
      const ms = name === 'answered' ? 1000 * seconds : 0;
      activity.count('calls', name, { agentId }, ms);
      if (name === 'answered') activity.count('callTimes', timeName(ms), { agentId });
    });
    this.events.subscribe(({ change: { agentId, health, breaker } }) =>
      activity.count('conditions', `${health}/${breaker}`, { agentId }),
    );
  }
}
