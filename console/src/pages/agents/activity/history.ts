import type { Schema } from '../../../api/client';
import type { Range } from '../search';

type Bucket = Schema<'AgentActivityBucketDto'>;
type Health = Schema<'AgentConditionDto'>['health'];
type Breaker = Schema<'AgentConditionDto'>['breaker'];

export const RANGE_MS: Readonly<Record<Range, number>> = {
  '1h': 3_600_000,
  '3h': 3 * 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
};

/** `failing`: it was not down, but half or more of its calls failed. */
export type StepHealth = Health | 'failing';

/** One step of time, with what was counted in it, and how the agent stood. */
export interface Step {
  readonly at: number;
  readonly bucket: Bucket | undefined;
  /** The worst in it; `unknown` before anything was heard of it. */
  readonly health: StepHealth;
  readonly breaker: Breaker | 'unknown';
}

const HEALTH_RANK: Readonly<Record<Health, number>> = {
  down: 3,
  degraded: 2,
  healthy: 1,
  unknown: 0,
};
const BREAKER_RANK: Readonly<Record<Step['breaker'], number>> = {
  open: 3,
  'half-open': 2,
  closed: 1,
  unknown: 0,
};

/**
 * Every step of the time that was asked for, also those in which nothing happened. Between two changes an agent stays
 * as it was; within one step their order is not known: it is taken as well afterwards when it was so in it at all.
 */
export function stepsOf(activity: Schema<'AgentActivityDto'>): readonly Step[] {
  const size = activity.bucketSeconds * 1000;
  const byTime = new Map(activity.buckets.map((bucket) => [Date.parse(bucket.at), bucket]));
  const end = Date.parse(activity.to);
  const steps: Step[] = [];
  let [health, breaker] = after(activity.before, 'unknown', 'unknown');
  for (let at = Math.floor(Date.parse(activity.from) / size) * size; at < end; at += size) {
    const bucket = byTime.get(at);
    const conditions = bucket?.conditions ?? [];
    const healths = conditions.map((each) => each.health);
    const breakers = conditions.map((each) => each.breaker);
    steps.push({
      at,
      bucket,
      health: withCalls(worst([health, ...healths], HEALTH_RANK), bucket),
      breaker: worst([breaker, ...breakers], BREAKER_RANK),
    });
    [health, breaker] = after(conditions, health, breaker);
  }
  return steps;
}

function withCalls(health: Health, bucket: Bucket | undefined): StepHealth {
  const errors = errorsIn(bucket);
  return health !== 'down' && errors > 0 && errors * 2 >= (bucket?.calls ?? 0) ? 'failing' : health;
}

/** How an agent stood after these changes, whose order is not known; as it did before, without any. */
function after(
  conditions: Bucket['conditions'],
  health: Health,
  breaker: Step['breaker'],
): readonly [Health, Step['breaker']] {
  if (conditions.length === 0) return [health, breaker];
  const healths = conditions.map((each) => each.health);
  const breakers = conditions.map((each) => each.breaker);
  return [
    healths.includes('healthy') ? 'healthy' : worst(healths, HEALTH_RANK),
    breakers.includes('closed') ? 'closed' : worst(breakers, BREAKER_RANK),
  ];
}

function worst<T extends string>(values: readonly T[], rank: Readonly<Record<T, number>>): T {
  return values.reduce((a, b) => (rank[b] > rank[a] ? b : a));
}

export function errorsIn(bucket: Bucket | undefined): number {
  return (bucket?.errors ?? []).reduce((sum, { count }) => sum + count, 0);
}

/** Errors of all buckets by their kind, the most frequent first. */
export function errorKinds(buckets: readonly Bucket[]): readonly [string, number][] {
  const sums = new Map<string, number>();
  for (const { kind, count } of buckets.flatMap(({ errors }) => errors)) {
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}
