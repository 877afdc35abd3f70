import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { MINUTE_MS } from '../../observability/activity/activity.js';
import { ActivityStore } from '../../observability/activity/activity-store.js';

const HOUR_MS = 60 * MINUTE_MS;

/** Calls of an agent in the last hour, and how many of them failed. */
export interface HourOfCalls {
  readonly calls: number;
  readonly errors: number;
}

const NO_CALLS: HourOfCalls = { calls: 0, errors: 0 };

/** How often agents were called in the last hour, by all processes. */
@Injectable()
export class AgentCallsOfHour {
  constructor(
    private readonly activity: ActivityStore,
    private readonly clock: Clock,
  ) {}

  /** Of these agents, in one query; the minute that began an hour ago counts as a whole. */
  async of(agentIds: readonly string[]): Promise<(agentId: string) => HourOfCalls> {
    const to = this.clock.now().getTime() + 1;
    const begin = to - HOUR_MS;
    const from = begin - (begin % MINUTE_MS);
    const sums = await this.activity.sums({ span: 1, kinds: ['calls'], agentIds, from, to });
    const found = new Map<string, HourOfCalls>();
    for (const { agentId, name, count } of sums) {
      const { calls, errors } = found.get(agentId) ?? NO_CALLS;
      const failed = name === 'answered' ? 0 : count;
      found.set(agentId, { calls: calls + count, errors: errors + failed });
    }
    return (agentId) => found.get(agentId) ?? NO_CALLS;
  }
}
