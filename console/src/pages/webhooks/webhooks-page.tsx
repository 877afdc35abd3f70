import { useLive } from '../../api/live';
import { useMay } from '../../api/me';
import { useVisible } from '../../api/visible';
import { Badge } from '../../ui/badge';
import { Page } from '../../ui/page';
import { Tabs } from '../../ui/tabs';
import { AuthProfilesTab } from './auth-profiles/auth-profiles-tab';
import { ConfigsTab } from './configs/configs-tab';
import { useDeadLetterCount } from './dead-letters/dead-letter-count';
import { DeadLettersTab } from './dead-letters/dead-letters-tab';
import { DeliveriesTab } from './deliveries/deliveries-tab';
import { EventLogTab } from './event-log/event-log-tab';
import { refreshPushSoon } from './keys';
import { ReceiversTab } from './receivers/receivers-tab';
import { useWebhookSearch } from './search';
import { SubscriptionsTab } from './subscriptions/subscriptions-tab';
import './webhooks.css';

/** Who is told what happens to tasks, what became of it, and what to do about it. */
export function WebhooksPage() {
  const [{ tab = 'receivers' }, change] = useWebhookSearch();
  const mayAll = useMay('push:all');
  const visible = useVisible();
  const deadLetters = useDeadLetterCount();
  const live = useLive({
    path: visible ? 'api/v1/push/events' : null,
    onEvent: refreshPushSoon,
  });
  return (
    <Page
      title="Webhooks"
      lead="Receivers, what is sent to them, and what they did not get."
      actions={
        <Badge tone={live === 'live' ? 'good' : 'neutral'}>
          {live === 'live' ? 'live' : live === 'lost' ? 'connection lost' : live}
        </Badge>
      }
    >
      <Tabs
        label="Webhooks"
        value={tab}
        onChange={(next) =>
          change({
            tab: next,
            id: undefined,
            recover: undefined,
            state: undefined,
            config: undefined,
            subscription: undefined,
            type: undefined,
          })
        }
        tabs={[
          { id: 'receivers', label: 'Receivers', content: <ReceiversTab /> },
          { id: 'webhooks', label: 'Webhooks of tasks', content: <ConfigsTab /> },
          { id: 'subscriptions', label: 'Subscriptions', content: <SubscriptionsTab /> },
          { id: 'deliveries', label: 'Deliveries', content: <DeliveriesTab /> },
          {
            id: 'dead-letters',
            label: deadLetters === undefined ? 'Dead letters' : `Dead letters (${deadLetters})`,
            content: <DeadLettersTab />,
          },
          { id: 'events', label: 'Event log', content: <EventLogTab /> },
          ...(mayAll
            ? [{ id: 'auth-profiles', label: 'Auth profiles', content: <AuthProfilesTab /> }]
            : []),
        ]}
      />
    </Page>
  );
}
