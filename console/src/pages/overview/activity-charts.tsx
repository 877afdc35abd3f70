import { getRouteApi } from '@tanstack/react-router';
import { api, type Schema } from '../../api/client';
import { every } from '../../api/pace';
import { Button } from '../../ui/button';
import { Loaded } from '../../ui/feedback';
import { Chart } from '../../ui/lazy-chart';
import { Card } from '../../ui/page';
import { type Range, RANGES } from './search';

const NAMES: Readonly<Record<Range, string>> = {
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
};
const REFRESH_MS = 30_000;

const route = getRouteApi('/');

/** What happened in the last hour, by the minute, or in a longer time by the quarter of an hour; nothing where no number of it is seen. */
export function ActivityCharts({ overview }: { readonly overview: Schema<'OverviewDto'> }) {
  const { range = '1h' } = route.useSearch();
  const navigate = route.useNavigate();
  const longer = api.useQuery(
    'get',
    '/api/v1/overview',
    { params: { query: { range } } },
    { enabled: range !== '1h', refetchInterval: every(REFRESH_MS) },
  );
  if (!overview.tasks && !overview.calls && !overview.deliveries) return null;
  return (
    <>
      <div className="overview-ranges" role="group" aria-label="Time that the charts show">
        {RANGES.map((each) => (
          <Button
            key={each}
            small
            kind={each === range ? 'primary' : 'plain'}
            aria-pressed={each === range}
            onClick={() =>
              void navigate({ search: each === '1h' ? {} : { range: each }, replace: true })
            }
          >
            {NAMES[each]}
          </Button>
        ))}
      </div>
      {range === '1h' ? (
        <Charts overview={overview} range={range} />
      ) : (
        <Loaded query={longer}>{(data) => <Charts overview={data} range={range} />}</Loaded>
      )}
    </>
  );
}

function Charts({
  overview,
  range,
}: {
  readonly overview: Schema<'OverviewDto'>;
  readonly range: Range;
}) {
  const { tasks, calls, deliveries, spanMinutes } = overview;
  const each = spanMinutes === 1 ? 'a minute' : `every ${spanMinutes} minutes`;
  const when = `in the ${NAMES[range].toLowerCase()}`;
  const times = overview.minutes.map((each) => Date.parse(each) / 1000);
  return (
    <div className="columns">
      {tasks && (
        <Card title={`Tasks ${each}, by how they ended`}>
          <Chart
            kind="bars"
            stacked
            label={`Tasks ${each} ${when}, by how they ended`}
            times={times}
            series={[
              { label: 'Completed', colour: '--good', values: tasks.completed },
              { label: 'Failed', colour: '--bad', values: tasks.failed },
              { label: 'Rejected', colour: '--warning', values: tasks.rejected },
              { label: 'Canceled', colour: '--faint', values: tasks.canceled },
            ]}
          />
        </Card>
      )}
      {calls && (
        <Card title={`Calls to agents ${each}`}>
          <Chart
            kind="bars"
            stacked
            label={`Calls to agents ${each} ${when}`}
            times={times}
            series={[
              { label: 'Answered', colour: '--accent', values: calls.answered },
              { label: 'Failed', colour: '--bad', values: calls.failed },
            ]}
          />
        </Card>
      )}
      {deliveries && (
        <Card title={`Webhooks ${each}`}>
          <Chart
            kind="bars"
            stacked
            label={`Webhooks ${each} ${when}`}
            times={times}
            series={[
              { label: 'Delivered', colour: '--good', values: deliveries.delivered },
              { label: 'Tried again', colour: '--warning', values: deliveries.retrying },
              { label: 'Given up', colour: '--bad', values: deliveries.dead },
            ]}
          />
        </Card>
      )}
    </div>
  );
}
