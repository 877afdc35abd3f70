import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Loaded } from '../../../ui/feedback';
import { Chart } from '../../../ui/lazy-chart';
import { Card } from '../../../ui/page';
import { useNow } from '../../../ui/time';
import { type Range, RANGES } from '../search';
import { ConditionStrip } from './condition-strip';
import { errorKinds, errorsIn, RANGE_MS, stepsOf } from './history';

const REFRESH_MS = 10_000;
const MINUTE_MS = 60_000;

const route = getRouteApi('/agents/$agentId');

const RANGE_NAMES: Readonly<Record<Range, string>> = {
  '1h': '1 hour',
  '3h': '3 hours',
  '24h': '1 day',
  '7d': '7 days',
};

/** Health, calls and errors of an agent over a time that one chooses. */
export function AgentHistory({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const range = search.range ?? '1h';
  const minute = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const activity = api.useQuery(
    'get',
    '/api/v1/agents/{id}/activity',
    {
      params: {
        path: { id: agent.id },
        query: { from: new Date(minute - RANGE_MS[range]).toISOString() },
      },
    },
    { refetchInterval: every(REFRESH_MS), placeholderData: keepPreviousData },
  );
  return (
    <Card
      title="Over time"
      actions={
        <div className="agents-ranges" role="group" aria-label="Time that is shown">
          {RANGES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === range}
              onClick={() => void navigate({ search: { ...search, range: each }, replace: true })}
            >
              {RANGE_NAMES[each]}
            </button>
          ))}
        </div>
      }
    >
      <Loaded query={activity}>{(data) => <History activity={data} range={range} />}</Loaded>
    </Card>
  );
}

function History({
  activity,
  range,
}: {
  readonly activity: Schema<'AgentActivityDto'>;
  readonly range: Range;
}) {
  const steps = stepsOf(activity);
  const times = steps.map(({ at }) => at / 1000);
  const each = activity.bucketSeconds === 60 ? 'a minute' : 'in 15 minutes';
  const calls = activity.buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
  const errors = activity.buckets.reduce((sum, bucket) => sum + errorsIn(bucket), 0);
  const kinds = errorKinds(activity.buckets);
  const failed = activity.buckets.reduce((sum, bucket) => sum + bucket.failed, 0);
  const ended = failed + activity.buckets.reduce((sum, bucket) => sum + bucket.completed, 0);
  return (
    <div className="agents-stack">
      <ConditionStrip steps={steps} />
      <p className="agents-sums">
        <strong>{calls.toLocaleString('en')}</strong> {calls === 1 ? 'call' : 'calls'},{' '}
        <strong>{errors.toLocaleString('en')}</strong> of them failed
        {kinds.length > 0 && (
          <span className="faint">
            {' '}
            ({kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')})
          </span>
        )}
        ; <strong>{failed.toLocaleString('en')}</strong> of {ended.toLocaleString('en')} tasks, or
        parts of one, failed by its fault
        <span className="faint"> in {RANGE_NAMES[range]}</span>
      </p>
      <div className="columns">
        <div>
          <h3>Calls {each}</h3>
          <Chart
            kind="bars"
            stacked
            label={`Calls ${each}`}
            times={times}
            series={[
              {
                label: 'Answered',
                colour: '--accent',
                values: steps.map(({ bucket }) => (bucket?.calls ?? 0) - errorsIn(bucket)),
              },
              {
                label: 'Failed',
                colour: '--bad',
                values: steps.map(({ bucket }) => errorsIn(bucket)),
              },
            ]}
          />
        </div>
        <div>
          <h3>Time to the first answer</h3>
          <Chart
            kind="bars"
            label="Time to the first answer"
            unit=" ms"
            times={times}
            series={[
              {
                label: '95 of 100 within',
                colour: '--faint',
                values: steps.map(({ bucket }) => bucket?.p95Ms ?? null),
              },
              {
                label: 'Mean',
                colour: '--accent',
                values: steps.map(({ bucket }) => bucket?.meanMs ?? null),
              },
            ]}
          />
        </div>
      </div>
    </div>
  );
}
