import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { nextSlice } from '../../common/slices.js';
import { MINUTE_MS } from '../../observability/activity/activity.js';
import { ActivityStore } from '../../observability/activity/activity-store.js';

const HOUR_MS = 60 * MINUTE_MS;
/** Agents of one statement. */
const AT_ONCE = 200;
/** Of fewer failed tasks nothing follows. */
export const ENOUGH = 3;

/** What an agent did in the last hour: its calls, how many of them failed, and the tasks that it completed, or failed by its own fault. */
export interface HourOfAgent {
  readonly calls: number;
  readonly errors: number;
  readonly completed: number;
  readonly failed: number;
}

const NOTHING: HourOfAgent = { calls: 0, errors: 0, completed: 0, failed: 0 };

/** An agent that fails most of its tasks. */
export interface FailingAgent {
  readonly agentId: string;
  readonly completed: number;
  readonly failed: number;
}

/** What agents did in the last hour, for all processes. */
@Injectable()
export class AgentHours {
  constructor(
    private readonly activity: ActivityStore,
    private readonly clock: Clock,
  ) {}

  /** Of these agents; the minute that began an hour ago counts as a whole. */
  of(agentIds: readonly string[]): Promise<(agentId: string) => HourOfAgent> {
    return this.read(['calls', 'parts'], agentIds);
  }

  /** Which of these failed more tasks than they completed, {@link ENOUGH} at least; those with most first. */
  async failing(agentIds: readonly string[]): Promise<readonly FailingAgent[]> {
    const hourOf = await this.read(['parts'], agentIds);
    return agentIds
      .map((agentId) => {
        const { completed, failed } = hourOf(agentId);
        return { agentId, completed, failed };
      })
      .filter(({ completed, failed }) => failed >= ENOUGH && failed > completed)
      .sort((a, b) => b.failed - a.failed);
  }

  private async read(
    kinds: readonly ('calls' | 'parts')[],
    agentIds: readonly string[],
  ): Promise<(agentId: string) => HourOfAgent> {
    const to = this.clock.now().getTime() + 1;
    const begin = to - HOUR_MS;
    const from = begin - (begin % MINUTE_MS);
    const found = new Map<string, HourOfAgent>();
    for (let start = 0; start < agentIds.length; start += AT_ONCE) {
      const slice = nextSlice();
      if (slice !== undefined) await slice;
      const piece = agentIds.slice(start, start + AT_ONCE);
      const sums = await this.activity.sums({ span: 1, kinds, agentIds: piece, from, to });
      for (const { agentId, kind, name, count } of sums) {
        const before = found.get(agentId) ?? NOTHING;
        found.set(
          agentId,
          kind === 'calls' ? withCalls(before, name, count) : withParts(before, name, count),
        );
      }
    }
    return (agentId) => found.get(agentId) ?? NOTHING;
  }
}

function withCalls(before: HourOfAgent, name: string, count: number): HourOfAgent {
  const failed = name === 'answered' ? 0 : count;
  return { ...before, calls: before.calls + count, errors: before.errors + failed };
}

function withParts(before: HourOfAgent, name: string, count: number): HourOfAgent {
  return name === 'completed' ? { ...before, completed: count } : { ...before, failed: count };
}
