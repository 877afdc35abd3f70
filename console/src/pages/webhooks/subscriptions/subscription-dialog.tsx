import type { ReactNode } from 'react';
import { api, type Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { Id } from '../../../ui/copy';
import { Dialog } from '../../../ui/dialog';
import { Loaded, Notice } from '../../../ui/feedback';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { WebhookStateBadge } from '../shared/push-badges';
import { SearchLink } from '../shared/search-link';
import { authenticationText } from '../shared/shown-authentication';
import { filterText } from './filter-text';

const EVERY_MS = 5_000;

/** One subscription. */
export function SubscriptionDialog({
  id,
  onClose,
  actions,
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly actions: (subscription: Schema<'SubscriptionDto'>) => ReactNode;
}) {
  const subscription = api.useQuery(
    'get',
    '/api/v1/push/subscriptions/{id}',
    { params: { path: { id } } },
    { refetchInterval: every(EVERY_MS) },
  );
  return (
    <Dialog wide open title="Subscription" onClose={onClose}>
      <div className="dialog-body">
        <Loaded query={subscription}>
          {(shown) => (
            <>
              {shown.stateReason !== null && <Notice tone="warning">{shown.stateReason}</Notice>}
              <Facts
                facts={{
                  Name: shown.name,
                  State: (
                    <WebhookStateBadge
                      state={shown.state}
                      reason={shown.stateReason}
                      held={shown.held}
                    />
                  ),
                  Address: <Id value={shown.url} />,
                  'Which tasks': filterText(shown),
                  Events: shown.events,
                  Bodies: `A2A ${shown.version}`,
                  'Proves who sends by': authenticationText(shown),
                  Fingerprint: <code>{shown.fingerprint.slice(0, 12)}</code>,
                  Organization: shown.organization,
                  Owner: shown.owner,
                  Source:
                    shown.source === 'config'
                      ? 'declared in the configuration; changed there'
                      : null,
                  Id: <Id value={shown.id} />,
                  Created: <Time at={shown.createdAt} />,
                  Changed: <Time at={shown.updatedAt} />,
                }}
              />
              <p className="actions">
                <SearchLink search={{ tab: 'webhooks', subscription: shown.id }}>
                  Its webhooks, task by task
                </SearchLink>
                <SearchLink search={{ tab: 'dead-letters', config: `subscription:${shown.id}` }}>
                  Its dead letters
                </SearchLink>
                <SearchLink search={{ tab: 'deliveries', config: `subscription:${shown.id}` }}>
                  Its deliveries
                </SearchLink>
              </p>
              <footer className="dialog-foot">{actions(shown)}</footer>
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}
