import { useState } from 'react';
import { api, client, type Schema } from '../../../api/client';
import { PAGE_ROWS, usePages } from '../../../api/pages';
import { asProblem } from '../../../api/problem';
import { every } from '../../../api/pace';
import { AttemptList } from '../../../ui/attempt-view';
import { StateBadge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Id } from '../../../ui/copy';
import { Dialog } from '../../../ui/dialog';
import { ErrorView, Loaded, Notice } from '../../../ui/feedback';
import { Facts } from '../../../ui/page';
import { TaskLink } from '../../../ui/task-link';
import { Time } from '../../../ui/time';
import { notify } from '../../../ui/toast';
import { PUSH, refreshPush } from '../keys';
import { SearchLink } from '../shared/search-link';

const EVERY_MS = 5_000;

/** One delivery: what it tells, each attempt and what came back. */
export function DeliveryDialog({
  id,
  onClose,
}: {
  readonly id: string;
  readonly onClose: () => void;
}) {
  const path = { path: { id } };
  const delivery = api.useQuery(
    'get',
    '/api/v1/push/deliveries/{id}',
    { params: path },
    { refetchInterval: every(EVERY_MS) },
  );
  const attempts = usePages([PUSH, 'attempts', id], (cursor, signal) =>
    client.GET('/api/v1/push/deliveries/{id}/attempts', {
      params: { ...path, query: { limit: PAGE_ROWS, cursor } },
      signal,
    }),
  );
  return (
    <Dialog wide open title="Delivery" onClose={onClose}>
      <div className="dialog-body">
        <Loaded query={delivery}>{(shown) => <DeliveryFacts delivery={shown} />}</Loaded>
        <h3>Attempts</h3>
        <Loaded query={attempts}>{(rows) => <AttemptList attempts={rows} />}</Loaded>
        {delivery.data && (
          <Redeliver delivery={delivery.data} onDone={() => void delivery.refetch()} />
        )}
      </div>
    </Dialog>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: Schema<'DeliveryDto'> }) {
  return (
    <Facts
      facts={{
        State: <StateBadge state={delivery.state} />,
        Why: delivery.reason,
        'Next attempt': delivery.nextAttemptAt && <Time at={delivery.nextAttemptAt} />,
        Task: <TaskLink id={delivery.taskId} />,
        Receiver: delivery.endpoint,
        Webhook: (
          <SearchLink search={{ tab: 'webhooks', id: delivery.webhook }}>
            {delivery.configId}
          </SearchLink>
        ),
        What: `${delivery.kind}, no. ${delivery.number} of the webhook, entry ${delivery.sequence} of the task`,
        'webhook-id': <Id value={delivery.webhookId} />,
        Created: <Time at={delivery.createdAt} />,
        Changed: <Time at={delivery.updatedAt} />,
        Redelivered: delivery.redelivered ? 'yes' : null,
      }}
    />
  );
}

function Redeliver({
  delivery,
  onDone,
}: {
  readonly delivery: Schema<'DeliveryDto'>;
  readonly onDone: () => void;
}) {
  const [error, setError] = useState<unknown>(null);
  const redeliver = api.useMutation('post', '/api/v1/push/deliveries/{id}:redeliver');
  const webhook = api.useQuery(
    'get',
    '/api/v1/push/configs/{id}',
    { params: { path: { id: delivery.webhook } } },
    { enabled: delivery.kind !== 'test', refetchInterval: every(EVERY_MS) },
  );
  if (delivery.kind === 'test') return null;
  if (webhook.error && asProblem(webhook.error).status === 404) {
    return <Notice tone="info">Its webhook was deleted: it cannot be sent again.</Notice>;
  }
  if (webhook.data?.state === 'disabled') {
    return (
      <Notice tone="info">
        Its webhook is disabled: it can be sent again once{' '}
        <SearchLink search={{ tab: 'webhooks', id: delivery.webhook }}>the webhook</SearchLink> is
        resumed.
      </Notice>
    );
  }
  const run = async () => {
    setError(null);
    try {
      await redeliver.mutateAsync({ params: { path: { id: delivery.id } } });
      notify('It is sent again, with the same webhook-id.');
      onDone();
      await refreshPush();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <>
      {error !== null && <ErrorView error={error} />}
      <footer className="dialog-foot">
        <Button busy={redeliver.isPending} onClick={() => void run()}>
          {delivery.state === 'retrying' || delivery.state === 'pending' ? 'Try now' : 'Send again'}
        </Button>
      </footer>
    </>
  );
}
