import type { Schema } from '../../api/client';
import { reasonText } from '../../ui/end-reasons';
import { Card } from '../../ui/page';
import { RankedCounts } from './ranked-counts';

/** Why parts of tasks failed at their agents in the last hour; the tasks may have been completed all the same. */
export function TaskFailures({ errors }: { readonly errors: readonly Schema<'NamedCountDto'>[] }) {
  if (errors.length === 0) return null;
  return (
    <Card title="Why agents’ parts of tasks failed, last hour">
      <RankedCounts
        tone="bad"
        label={reasonText}
        counts={errors.map(({ name, count }) => ({
          name,
          count,
          link: { to: '/tasks', search: { part: name, time: 'status', range: '1h' } },
        }))}
      />
    </Card>
  );
}

/** The agents for which the most work waits. */
export function LongestQueues({
  queues,
}: {
  readonly queues: readonly Schema<'QueuedAgentDto'>[];
}) {
  if (queues.length === 0) return null;
  return (
    <Card title="Longest queues">
      <RankedCounts
        tone="info"
        label={(name) => name}
        counts={queues.map(({ agentId, waiting }) => ({
          name: agentId,
          count: waiting,
          link: { to: `/agents/${agentId}` },
        }))}
      />
    </Card>
  );
}
