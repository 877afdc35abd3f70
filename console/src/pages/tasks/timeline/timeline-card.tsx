import { useMay } from '../../../api/me';
import { Card } from '../../../ui/page';
import { useNow } from '../../../ui/time';
import type { TaskDetail, TaskEvent } from '../detail/task-query';
import { isEnded } from '../../../api/task-state';
import { Legend } from './legend';
import { Row } from './row';
import { axisOf, markText, placeOf, type TimeAxis } from './time-axis';
import { delegationRow, taskRow, type TimelineRow } from './timeline-rows';
import { useWebhookRows } from './use-webhook-rows';

/** Who did what when: the task, each delegation and each webhook on one axis of time. */
export function TimelineCard({
  task,
  events,
}: {
  readonly task: TaskDetail;
  readonly events: readonly TaskEvent[];
}) {
  const present = useNow();
  const webhooks = useWebhookRows(task, useMay('push'));
  const now = Math.max(present, Date.parse(task.updatedAt));
  const rows = [
    taskRow(task, events, now),
    ...task.delegations.map((each) => delegationRow(each, task, events, now)),
    ...webhooks,
  ];
  const axis = axisFor(task, rows, now);
  return (
    <Card title="Timeline" actions={<Legend rows={rows} />}>
      <div className="timeline">
        <div className="timeline-axis" aria-hidden="true">
          <span />
          <span className="timeline-track">
            {axis.marks.map((mark) => (
              <span
                key={mark}
                className="timeline-mark"
                style={{ insetInlineStart: `${placeOf(axis.from + mark, axis)}%` }}
              >
                {markText(mark)}
              </span>
            ))}
          </span>
        </div>
        <ol aria-label="Timeline">
          {rows.map((row) => (
            <Row key={row.id} row={row} axis={axis} />
          ))}
        </ol>
      </div>
    </Card>
  );
}

/** As long as the task took; attempts of webhooks long after it do not make everything else small. */
function axisFor(task: TaskDetail, rows: readonly TimelineRow[], now: number): TimeAxis {
  const from = Date.parse(task.createdAt);
  const end = isEnded(task.state) ? Date.parse(task.statusAt) : now;
  const last = Math.max(
    end,
    ...rows.flatMap(({ segments, ticks }) => [
      ...segments.map(({ to }) => to),
      ...ticks.map(({ at }) => at),
    ]),
  );
  return axisOf(from, Math.min(last, Math.max(end + (end - from), end + 100)));
}
