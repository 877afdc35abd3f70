import { BREAKER_STATES } from '../../common/circuit-breaker.js';
import { Shown, Time } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { HEALTH_STATES } from '../health/agent-health.js';

export class AgentActivityQueryDto {
  @Time({ optional: true, description: 'An hour before `to`, if it is left out.' })
  from?: string;

  @Time({ optional: true, description: 'Now, if it is left out.' })
  to?: string;
}

/** What the counts of an agent count, of whatever time. */
export const COUNTED = {
  calls: 'Messages, queries and cancels; looks at its card do not count.',
  completed: 'Tasks, or parts of one, that it completed.',
  failed:
    'Tasks, or parts of one, that it failed by its own fault: not by its client, an operator or the hub, nor because it refused this one request, nor because the time was over.',
} as const;

export class CallErrorsDto {
  @Shown.Choice(['unreachable', 'rejected', 'interrupted', 'invalid', 'not-found'])
  readonly kind!: string;
  @Shown.Num()
  readonly count!: number;
}

export class AgentConditionDto {
  @Shown.Choice(HEALTH_STATES)
  readonly health!: string;
  @Shown.Choice(BREAKER_STATES)
  readonly breaker!: string;
  @Shown.Num({ description: 'How often it became that, in all processes.' })
  readonly count!: number;
}

export class AgentActivityBucketDto {
  @Shown.Time({ description: 'When the bucket begins.' })
  readonly at!: string;
  @Shown.Num({ description: COUNTED.calls })
  readonly calls!: number;
  @Shown.Nested(() => CallErrorsDto, { list: true, description: 'Of these, those that failed.' })
  readonly errors!: readonly CallErrorsDto[];
  @Shown.Num({ description: COUNTED.completed })
  readonly completed!: number;
  @Shown.Num({ description: COUNTED.failed })
  readonly failed!: number;
  @Shown.Num({
    nullable: true,
    description: 'Milliseconds to the first answer, of the calls that got one.',
  })
  readonly meanMs!: number | null;
  @Shown.Num({
    nullable: true,
    description:
      'Estimated: 95 of 100 calls that were answered got their answer sooner; null: over 100 seconds, or none was.',
  })
  readonly p95Ms!: number | null;
  @Shown.Nested(() => AgentConditionDto, {
    list: true,
    description: 'What its health and breaker changed to.',
  })
  readonly conditions!: readonly AgentConditionDto[];

  constructor(bucket: AgentActivityBucketDto) {
    fill<AgentActivityBucketDto>(this, bucket);
  }
}

export class AgentActivityDto {
  @Shown.Text()
  readonly agentId!: string;
  @Shown.Time()
  readonly from!: string;
  @Shown.Time()
  readonly to!: string;
  @Shown.Nested(() => AgentConditionDto, {
    list: true,
    description:
      'What its health and breaker had changed to last before the first bucket, or what they are if they have been so since; empty: that is not known.',
  })
  readonly before!: readonly AgentConditionDto[];
  @Shown.Num({ description: '60, or 900 for what began over three hours ago.' })
  readonly bucketSeconds!: number;
  @Shown.Nested(() => AgentActivityBucketDto, {
    list: true,
    description: 'By time; without those in which nothing happened.',
  })
  readonly buckets!: readonly AgentActivityBucketDto[];

  constructor(activity: AgentActivityDto) {
    fill<AgentActivityDto>(this, activity);
  }
}
