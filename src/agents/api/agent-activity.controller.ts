import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../auth/index.js';
import { Clock, DAY_MS } from '../../common/clock.js';
import { AdminController } from '../../common/http/admin-controller.js';
import { invalidField } from '../../common/hub-error.js';
import { mapInSlices } from '../../common/slices.js';
import { type ActivityCount, MINUTE_MS } from '../../observability/activity/activity.js';
import { MINUTES_KEPT_MS } from '../../observability/activity/activity-recorder.js';
import { type ActivitySpan, ActivityStore } from '../../observability/activity/activity-store.js';
import { meanMs, shareMs, sumsOf } from '../../observability/activity/series.js';
import { AgentMonitor } from '../health/agent-monitor.js';
import { AgentsService } from '../registration/agents.service.js';
import {
  AgentActivityBucketDto,
  AgentActivityDto,
  AgentActivityQueryDto,
  type AgentConditionDto,
} from './agent-activity.dto.js';

const HOUR_MS = 60 * MINUTE_MS;
/** The longest time that is asked for at once. */
const MOST_DAYS = 31;

/** What an agent was called for and how that went, over time. */
@AdminController('agents', 'api/v1/agents', 'agents:organization')
export class AgentActivityController {
  constructor(
    private readonly agents: AgentsService,
    private readonly activity: ActivityStore,
    private readonly monitor: AgentMonitor,
    private readonly clock: Clock,
  ) {}

  @Get(':id/activity')
  @ApiOperation({
    summary: 'Get the calls, errors and times of an agent, and how its health changed.',
    description:
      'Of all processes, by the minute for the last three hours and by the quarter of an hour before (activity.retention). What was counted in the last three seconds may be missing.',
  })
  @ApiOkResponse({ type: AgentActivityDto })
  async get(
    @Param('id') id: string,
    @Query() query: AgentActivityQueryDto,
    @CurrentPrincipal() caller: Principal,
  ): Promise<AgentActivityDto> {
    const agent = await this.agents.get(id, caller);
    const now = this.clock.now().getTime();
    const to = query.to === undefined ? now : Date.parse(query.to);
    const from = query.from === undefined ? to - HOUR_MS : Date.parse(query.from);
    if (from >= to) throw invalidField('from', 'must be before to');
    if (to - from > MOST_DAYS * DAY_MS) {
      throw invalidField('from', `must be at most ${MOST_DAYS} days before to`);
    }
    const span: ActivitySpan = from >= now - MINUTES_KEPT_MS ? 1 : 15;
    const spanMs = span * MINUTE_MS;
    const begin = from - (from % spanMs);
    const kinds = ['calls', 'callTimes', 'parts', 'conditions'] as const;
    const agentIds = [agent.id];
    const [counts, before] = await Promise.all([
      this.activity.read({ span, kinds, agentIds, from: begin, to }),
      this.conditionsBefore(agent.id, begin),
    ]);
    return new AgentActivityDto({
      agentId: agent.id,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      before,
      bucketSeconds: spanMs / 1000,
      buckets: await bucketsOf(counts),
    });
  }

  /** Changes are kept for some days; one that has not changed for longer is as it was. */
  private async conditionsBefore(agentId: string, time: number): Promise<AgentConditionDto[]> {
    const found = await this.activity.latest('conditions', agentId, time);
    if (found.length > 0) return sumsOf(found).map(conditionOf);
    const { health, breaker, since } = this.monitor.viewOf(agentId);
    return since !== null && since.getTime() < time ? [{ health, breaker, count: 0 }] : [];
  }
}

/** Of a month there are three thousand. */
function bucketsOf(counts: readonly ActivityCount[]): Promise<AgentActivityBucketDto[]> {
  const byTime = new Map<number, ActivityCount[]>();
  for (const each of counts) {
    const those = byTime.get(each.at);
    if (those === undefined) byTime.set(each.at, [each]);
    else those.push(each);
  }
  return mapInSlices([...byTime], ([at, all]) => {
    const of = (kind: ActivityCount['kind']): ActivityCount[] =>
      all.filter((each) => each.kind === kind);
    const calls = of('calls');
    const parts = (name: string): number =>
      of('parts').reduce((sum, each) => sum + (each.name === name ? each.count : 0), 0);
    return new AgentActivityBucketDto({
      at: new Date(at).toISOString(),
      calls: calls.reduce((sum, { count }) => sum + count, 0),
      errors: sumsOf(calls.filter(({ name }) => name !== 'answered')).map(({ name, count }) => ({
        kind: name,
        count,
      })),
      completed: parts('completed'),
      failed: parts('failed'),
      meanMs: meanMs(calls),
      p95Ms: shareMs(of('callTimes'), 0.95),
      conditions: sumsOf(of('conditions')).map(conditionOf),
    });
  });
}

function conditionOf({
  name,
  count,
}: {
  readonly name: string;
  readonly count: number;
}): AgentConditionDto {
  const [health = '', breaker = ''] = name.split('/');
  return { health, breaker, count };
}
