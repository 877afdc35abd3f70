import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { MINUTE_MS } from '../../observability/activity/activity.js';
import {
  type ActivityQuery,
  ActivityStore,
  type ActivitySum,
} from '../../observability/activity/activity-store.js';
import type { MinuteBefore } from './domain/calls-before.js';

const HOUR_MS = 60 * MINUTE_MS;
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

  /** Of these agents, the minutes in which there was anything, oldest first. */
  async minutes(
    agentIds: readonly string[],
  ): Promise<(agentId: string) => readonly MinuteBefore[]> {
    const found = new Map<string, Map<number, HourOfAgent>>();
    for (const count of await this.activity.read(this.lastHour(['calls', 'parts'], agentIds))) {
      const minutes = found.get(count.agentId) ?? new Map<number, HourOfAgent>();
      found.set(count.agentId, minutes);
      minutes.set(count.at, withCount(minutes.get(count.at), count));
    }
    return (agentId) =>
      [...(found.get(agentId) ?? [])]
        .map(([at, { calls, errors, failed }]) => ({ at, calls, errors, failed }))
        .sort((a, b) => a.at - b.at);
  }

  private async read(
    kinds: readonly ('calls' | 'parts')[],
    agentIds: readonly string[],
  ): Promise<(agentId: string) => HourOfAgent> {
    const found = new Map<string, HourOfAgent>();
    for (const sum of await this.activity.sums(this.lastHour(kinds, agentIds))) {
      found.set(sum.agentId, withCount(found.get(sum.agentId), sum));
    }
    return (agentId) => found.get(agentId) ?? NOTHING;
  }

  private lastHour(
    kinds: readonly ('calls' | 'parts')[],
    agentIds: readonly string[],
  ): ActivityQuery {
    const to = this.clock.now().getTime() + 1;
    const begin = to - HOUR_MS;
    return { span: 1, kinds, agentIds, from: begin - (begin % MINUTE_MS), to };
  }
}

function withCount(
  before: HourOfAgent = NOTHING,
  { kind, name, count }: Pick<ActivitySum, 'kind' | 'name' | 'count'>,
): HourOfAgent {
  return kind === 'calls' ? withCalls(before, name, count) : withParts(before, name, count);
}

function withCalls(before: HourOfAgent, name: string, count: number): HourOfAgent {
  const failed = name === 'answered' ? 0 : count;
  return { ...before, calls: before.calls + count, errors: before.errors + failed };
}

function withParts(before: HourOfAgent, name: string, count: number): HourOfAgent {
  return name === 'completed'
    ? { ...before, completed: before.completed + count }
    : { ...before, failed: before.failed + count };
}
