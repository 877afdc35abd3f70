import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../../../api/me';
import { Badge, StateBadge } from '../../../ui/badge';
import { Id } from '../../../ui/copy';
import { ErrorView } from '../../../ui/feedback';
import { JsonTree } from '../../../ui/json-tree';
import { Card, Page } from '../../../ui/page';
import { type Tab, Tabs } from '../../../ui/tabs';
import { TimelineCard } from '../timeline/timeline-card';
import { AnswerCard } from './answer-card';
import { ContentTab } from './content-tab';
import { EventsTab } from './events-tab';
import { RouteTab } from './route-tab';
import { StoryCard } from './story-card';
import { TaskActions } from './task-actions';
import { TaskFacts } from './task-facts';
import type { TaskDetail } from './task-query';
import { useUpdatesAfter } from '../deliveries';
import { useLiveTask } from './use-live-task';
import { useRights } from './use-rights';
import { WebhooksTab } from './webhooks-tab';

const route = getRouteApi('/tasks/$taskId');

export function TaskView({ task, error }: { readonly task: TaskDetail; readonly error: unknown }) {
  const { tab = 'route' } = route.useSearch();
  const navigate = route.useNavigate();
  const { events, newestSeq, live, hasEarlier, loadEarlier } = useLiveTask(task);
  const phase = [task.state, ...task.delegations.map(({ state }) => state)].join(' ');
  useUpdatesAfter(task.id, `${newestSeq} ${phase}`);
  const rights = useRights(task);
  const seesWebhooks = useMay('push');
  const tabs: Tab[] = [
    { id: 'route', label: 'Route', content: <RouteTab route={task.route} hops={task.hops} /> },
    {
      id: 'events',
      label: 'Events',
      content: (
        <EventsTab task={task} events={events} hasEarlier={hasEarlier} onEarlier={loadEarlier} />
      ),
    },
    ...(rights.readsContent === null
      ? []
      : [
          {
            id: 'content',
            label: 'Messages and artifacts',
            content: <ContentTab task={task} newestSeq={newestSeq} by={rights.readsContent} />,
          },
        ]),
    ...(seesWebhooks
      ? [{ id: 'webhooks', label: 'Webhooks', content: <WebhooksTab task={task} /> }]
      : []),
    { id: 'json', label: 'JSON', content: <JsonTree value={task} label="The task as JSON" /> },
  ];
  return (
    <Page
      title={`Task ${task.id.slice(0, 8)}…${task.id.slice(-6)}`}
      lead={
        <span className="tasks-lead">
          <StateBadge state={task.state} />
          {live !== null && <LiveBadge live={live} />}
          <Id value={task.id} />
        </span>
      }
      actions={<TaskActions task={task} rights={rights} />}
    >
      <Link to="/tasks" className="tasks-back">
        All tasks
      </Link>
      {error ? <ErrorView error={error} /> : null}
      <AnswerCard task={task} events={events} rights={rights} />
      <div className="tasks-overview">
        <StoryCard task={task} />
        <TaskFacts task={task} />
      </div>
      <TimelineCard task={task} events={events} />
      <Card>
        <Tabs
          label="Of this task"
          tabs={tabs}
          value={tab}
          onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
        />
      </Card>
    </Page>
  );
}

function LiveBadge({ live }: { readonly live: string }) {
  return live === 'live' ? (
    <Badge tone="good" title="What happens is shown as it happens">
      live
    </Badge>
  ) : (
    <Badge
      tone="warning"
      title="What happens is shown within ten seconds, or twenty while the hub is busy"
    >
      {live === 'connecting' ? 'connecting' : 'not live'}
    </Badge>
  );
}
