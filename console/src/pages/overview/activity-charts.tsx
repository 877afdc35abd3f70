import type { Schema } from '../../api/client';
import { Chart } from '../../ui/lazy-chart';
import { Card } from '../../ui/page';

/** What happened in the last hour, by the minute. */
export function ActivityCharts({ overview }: { readonly overview: Schema<'OverviewDto'> }) {
  const { tasks, calls, deliveries } = overview;
  const times = overview.minutes.map((each) => Date.parse(each) / 1000);
  return (
    <div className="columns">
      {tasks && (
        <Card title="Tasks a minute, by how they ended">
          <Chart
            kind="bars"
            stacked
            label="Tasks a minute in the last hour, by how they ended"
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
        <Card title="Calls to agents a minute">
          <Chart
            kind="bars"
            stacked
            label="Calls to agents a minute in the last hour"
            times={times}
            series={[
              { label: 'Answered', colour: '--accent', values: calls.answered },
              { label: 'Failed', colour: '--bad', values: calls.failed },
            ]}
          />
        </Card>
      )}
      {deliveries && (
        <Card title="Webhooks a minute">
          <Chart
            kind="bars"
            stacked
            label="Webhooks a minute in the last hour"
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
