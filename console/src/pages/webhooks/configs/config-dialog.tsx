import type { ReactNode } from 'react';
import { api, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Id } from '../../../ui/copy';
import { Dialog } from '../../../ui/dialog';
import { Loaded, Notice } from '../../../ui/feedback';
import { Facts } from '../../../ui/page';
import { TaskLink } from '../../../ui/task-link';
import { Time } from '../../../ui/time';
import { AttemptView } from '../../../ui/attempt-view';
import { WebhookStateBadge } from '../shared/push-badges';
import { SearchLink } from '../shared/search-link';
import { authenticationText } from '../shared/shown-authentication';

const EVERY_MS = 5_000;

/** One webhook of a task, with how far its deliveries are. */
export function ConfigDialog({
  id,
  onClose,
  actions,
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly actions: (webhook: Schema<'WebhookDto'>) => ReactNode;
}) {
  const webhook = api.useQuery(
    'get',
    '/api/v1/push/configs/{id}',
    { params: { path: { id } } },
    { refetchInterval: every(EVERY_MS) },
  );
  return (
    <Dialog wide open title="Webhook of a task" onClose={onClose}>
      <div className="dialog-body">
        <Loaded query={webhook}>
          {(shown) => (
            <>
              {shown.stateReason !== null && <Notice tone="warning">{shown.stateReason}</Notice>}
              <WebhookFacts webhook={shown} />
              <h3>Progress</h3>
              <Facts
                facts={{
                  Delivered: (
                    <SearchLink
                      search={{ tab: 'deliveries', config: shown.id, state: 'delivered' }}
                    >
                      {shown.progress.delivered}
                    </SearchLink>
                  ),
                  Pending: shown.progress.pending,
                  'Dead letters': (
                    <SearchLink search={{ tab: 'dead-letters', config: shown.id }}>
                      {shown.progress.dead}
                    </SearchLink>
                  ),
                  'Entries behind': shown.progress.entriesBehind,
                  'Next attempt': shown.progress.nextAttemptAt && (
                    <Time at={shown.progress.nextAttemptAt} />
                  ),
                }}
              />
              {shown.progress.lastAttempt && (
                <>
                  <h3>Last attempt</h3>
                  <AttemptView attempt={shown.progress.lastAttempt} />
                </>
              )}
              <footer className="dialog-foot">{actions(shown)}</footer>
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

function WebhookFacts({ webhook }: { readonly webhook: Schema<'WebhookDto'> }) {
  return (
    <Facts
      facts={{
        State: (
          <WebhookStateBadge
            state={webhook.state}
            reason={webhook.stateReason}
            held={webhook.held}
          />
        ),
        Address: <Id value={webhook.url} />,
        Task: <TaskLink id={webhook.taskId} />,
        Id: webhook.configId,
        'Id of the hub': <Id value={webhook.id} />,
        Subscription: webhook.subscriptionId && (
          <SearchLink search={{ tab: 'subscriptions', id: webhook.subscriptionId }}>
            {webhook.subscriptionId}
          </SearchLink>
        ),
        Owner: webhook.owner,
        Organization: webhook.organization,
        Events: webhook.events,
        Bodies: `A2A ${webhook.version}`,
        'Proves who sends by': authenticationText(webhook),
        Fingerprint: <code>{webhook.fingerprint.slice(0, 12)}</code>,
        'Failing since': webhook.failingSince && <Time at={webhook.failingSince} />,
        Created: <Time at={webhook.createdAt} />,
      }}
    />
  );
}
