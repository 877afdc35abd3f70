import { Link } from '@tanstack/react-router';
import { api, type Schema } from '../../../api/client';
import { StateBadge } from '../../../ui/badge';
import { Empty, Loaded, Notice } from '../../../ui/feedback';
import { Time } from '../../../ui/time';
import { useUpdateInterval } from '../deliveries';
import { DeliveryList } from './delivery-list';
import type { TaskDetail } from './task-query';

const SHOWN = 50;

/** Who is told of this task, and what became of each update. */
export function WebhooksTab({ task }: { readonly task: TaskDetail }) {
  const intervalOf = useUpdateInterval(task);
  const webhooks = api.useQuery(
    'get',
    '/api/v1/push/configs',
    { params: { query: { taskId: task.id, limit: SHOWN } } },
    { refetchInterval: () => intervalOf() },
  );
  return (
    <Loaded query={webhooks}>
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <Empty title="No webhooks">
            <p>
              Its client registered none, and no <Link to="/webhooks">subscription</Link> is for it.
            </p>
          </Empty>
        ) : (
          <div className="tasks-webhooks">
            <Link to="/webhooks" search={{ tab: 'deliveries', task: task.id }}>
              All deliveries of this task
            </Link>
            {items.map((webhook) => (
              <WebhookPart key={webhook.id} task={task} webhook={webhook} />
            ))}
            {nextCursor !== null && (
              <p className="faint">The first {SHOWN} webhooks of this task are shown.</p>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

function WebhookPart({
  task,
  webhook,
}: {
  readonly task: TaskDetail;
  readonly webhook: Schema<'WebhookDto'>;
}) {
  return (
    <section className="tasks-webhook" aria-label={`Webhook ${webhook.url}`}>
      <header>
        <h3>{webhook.url}</h3>
        <StateBadge state={webhook.state} title={webhook.stateReason ?? undefined} />
        <span className="faint">
          {webhook.events === 'all' ? 'every event' : 'changes and whole artifacts'} · A2A{' '}
          {webhook.version}
          {webhook.subscriptionId !== null && ' · of a subscription'}
        </span>
      </header>
      {webhook.held !== null && (
        <Notice tone="warning">
          Nothing is sent at the moment ({webhook.held.replaceAll('-', ' ')}); updates are kept.
        </Notice>
      )}
      {webhook.state === 'disabled' && (
        <Notice tone="warning">
          It gets nothing any more{webhook.stateReason !== null && `: ${webhook.stateReason}`}.{' '}
          <Link to="/webhooks" search={{ tab: 'webhooks', id: webhook.id }}>
            Resume it there
          </Link>{' '}
          before an update can be sent again.
        </Notice>
      )}
      {webhook.failingSince !== null && (
        <Notice tone="warning">
          Every attempt has failed since <Time at={webhook.failingSince} />.
          {webhook.stateReason !== null && ` ${webhook.stateReason}`}
        </Notice>
      )}
      <DeliveryList task={task} webhook={webhook} />
    </section>
  );
}
