import { Card } from '../../../ui/page';
import { Button } from '../../../ui/button';
import { Loaded } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Time } from '../../../ui/time';
import { rangeText, TimeRangeField } from '../../../ui/time-range';
import { useWebhookSearch } from '../search';
import { EndpointName, partsOfEndpoint } from '../shared/endpoint-name';
import { LostLink } from '../shared/lost-link';
import type { LostEvents } from './lost-events';

/** Receivers shown; the others are in the list of dead letters. */
const SHOWN = 8;

/** Which receivers lost events, how many, when and why. */
export function LostCard({ lost, range, countedAt, isCounting }: LostEvents) {
  const [, change] = useWebhookSearch();
  return (
    <Card
      title="Lost events by receiver"
      actions={
        <div className="filters webhooks-lost-time">
          <TimeRangeField label="Given up" value={range} onChange={change} />
        </div>
      }
    >
      <Loaded query={lost}>
        {({ receivers, total, isLeast }) =>
          total === 0 ? (
            <p className="faint">No receiver lost an event ({rangeText(range)}).</p>
          ) : (
            <>
              <ul className="webhooks-lost">
                {receivers
                  .slice(0, SHOWN)
                  .map(({ endpoint, count, own, firstAt, lastAt, reasons }) => (
                    <li key={endpoint}>
                      <EndpointName {...partsOfEndpoint(endpoint)} />
                      <LostLink
                        search={{ ...range, tab: 'dead-letters', endpoint }}
                        own={own}
                        count={count}
                        text={counted(count, 'lost event')}
                      />
                      <span>
                        {reasons[0]?.reason ?? 'no reason on record'}
                        {reasons.length > 1 && (
                          <span className="faint">
                            {' '}
                            and {counted(reasons.length - 1, 'other reason')}
                          </span>
                        )}
                      </span>
                      <span className="faint">
                        first <Time at={firstAt} />, last <Time at={lastAt} />
                      </span>
                    </li>
                  ))}
              </ul>
              {receivers.length > SHOWN && (
                <p className="faint">and {counted(receivers.length - SHOWN, 'other receiver')}</p>
              )}
              {isLeast && (
                <p className="faint">
                  {total.toLocaleString('en')}+: the newest are counted; there are more.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {countedAt !== undefined && (
        <p className="actions faint">
          <span>
            Counted <Time at={new Date(countedAt).toISOString()} />.
          </span>
          <Button small busy={isCounting} onClick={() => void lost.refetch()}>
            Count again
          </Button>
        </p>
      )}
    </Card>
  );
}
