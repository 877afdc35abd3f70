import type { Schema } from '../../api/client';
import { Badge } from '../../ui/badge';
import { counted } from '../../ui/lists';
import { Card } from '../../ui/page';
import { ReceiverBadge } from '../../ui/receiver-badge';
import { PageLink } from '../../ui/page-link';
import { isLosing } from './concerns';

/** Receivers of webhooks that fail, get none any more, or lose what they get. */
export function TroubledReceivers({
  receivers,
  isLeast,
}: {
  readonly receivers: readonly Schema<'TroubledReceiverDto'>[];
  /** Not all lost events were looked at. */
  readonly isLeast: boolean;
}) {
  if (receivers.length === 0) return null;
  return (
    <Card title="Receivers in trouble">
      <ul className="overview-list">
        {receivers.map(({ origin, organization, lastError, waiting, lost, rejected, ...is }) => (
          <li key={`${organization} ${origin}`}>
            <div className="overview-line">
              <PageLink
                to="/webhooks"
                search={{ tab: 'receivers', id: `${organization} ${origin}` }}
              >
                {origin}
              </PageLink>
              <ReceiverBadge {...is} />
              {isLosing(is) && <Badge tone="warning">lost events</Badge>}
              <span className="faint">
                {organization}, {counted(waiting, 'webhook waits', 'webhooks wait')}
                {lost > 0 &&
                  `, ${counted(lost, 'event')}${isLeast ? ' or more' : ''} lost in 24 hours`}
                {rejected > 0 &&
                  rejected < lost &&
                  `, ${rejected.toLocaleString('en')} of them rejected`}
              </span>
            </div>
            {lastError && <p className="overview-why">{lastError}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
