import { useQuery } from '@tanstack/react-query';
import type { Schema } from '../../../api/client';
import { every } from '../../../api/pace';
import { useState } from 'react';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Loaded, Notice } from '../../../ui/feedback';
import { Chart } from '../../../ui/lazy-chart';
import { counted } from '../../../ui/lists';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { spanOf, type TimeRange } from '../../../api/time-span';
import { rangeText } from '../../../ui/time-range';
import { LOST_OF } from '../keys';
import { EndpointStateBadge } from '../shared/push-badges';
import { LostLink } from '../shared/lost-link';
import { SearchLink } from '../shared/search-link';
import { countLost } from '../dead-letters/dead-letter-count';
import { useAttempts } from './attempts';
import { latencyText } from './latency-text';
import { useNextTry } from './next-try';
import { RecoverReceiver } from './recover-receiver';

const LOST_EVERY_MS = 10_000;

/** All about one receiver: its breaker, how fast it answers, and where its webhooks and deliveries are. */
export function ReceiverDialog({
  endpoint,
  lostIn,
  recovers,
  onClose,
}: {
  readonly endpoint: Schema<'EndpointDto'>;
  /** The time whose lost events are counted. */
  readonly lostIn: TimeRange;
  /** It is opened to bring the receiver back. */
  readonly recovers: boolean;
  readonly onClose: () => void;
}) {
  const name = `${endpoint.organization} ${endpoint.origin}`;
  const attempts = useAttempts(name);
  const nextTry = useNextTry(endpoint);
  const [isRecovering, setRecovering] = useState(recovers);
  return (
    <Dialog
      wide
      open
      title={endpoint.origin}
      description={`A receiver of ${endpoint.organization}`}
      onClose={onClose}
    >
      <div className="dialog-body">
        {endpoint.lastError !== null && ['failing', 'disabled'].includes(endpoint.state) && (
          <Notice tone={endpoint.state === 'disabled' ? 'bad' : 'warning'}>
            <p>
              <strong>{endpoint.lastError}</strong>{' '}
              {endpoint.state === 'disabled'
                ? 'Its webhooks are disabled. Repair the receiver, then resume them.'
                : endpoint.gone
                  ? 'The webhook that it answered so is disabled: nothing is sent for it until it is set again or resumed.'
                  : endpoint.rejects
                    ? 'It answers, but did not accept the last event. What it rejects is tried a few times, then given up; send it again once the receiver accepts it.'
                    : endpoint.breaker === 'open'
                      ? 'Deliveries wait, and one is tried at a time until it answers.'
                      : 'What it did not accept is tried again.'}
            </p>
          </Notice>
        )}
        {endpoint.heldReason !== null && <Notice tone="info">{endpoint.heldReason}</Notice>}
        {isRecovering && <RecoverReceiver endpoint={endpoint} />}
        <p className="actions">
          {!isRecovering && <Button onClick={() => setRecovering(true)}>Bring it back …</Button>}
          <SearchLink search={{ tab: 'dead-letters', endpoint: name }}>Dead letters</SearchLink>
          <SearchLink search={{ tab: 'deliveries', endpoint: name }}>Deliveries</SearchLink>
          <SearchLink search={{ tab: 'webhooks', endpoint: name }}>Webhooks of tasks</SearchLink>
        </p>
        <Facts
          facts={{
            Health: <EndpointStateBadge endpoint={endpoint} />,
            'Lost events': <LostFact name={name} range={lostIn} />,
            'Failures in a row': endpoint.rejects
              ? `${endpoint.failures}: it answers, and rejections do not count`
              : endpoint.failures,
            'Failing since': endpoint.failingSince && <Time at={endpoint.failingSince} />,
            'Disabled since': endpoint.disabledAt && <Time at={endpoint.disabledAt} />,
            'Next try': nextTry === 'now' ? 'now' : nextTry && <Time at={nextTry} />,
            'Last accepted': (
              <>
                <Time at={endpoint.lastSuccessAt} />
                {endpoint.lastSuccessAt !== null && <span className="faint"> (to the minute)</span>}
              </>
            ),
            'Last failed': <Time at={endpoint.lastFailureAt} />,
            'Webhooks waiting': endpoint.waiting,
            'Attempts at once, at most': endpoint.slots,
            'Consent to be called': endpoint.verifiedBy
              ? { challenge: 'by the challenge', list: 'its host is trusted' }[endpoint.verifiedBy]
              : 'not yet: it is called at a limited rate until it answers the challenge (OPTIONS with WebHook-Request-Origin) that the hub sends when something has to wait, or its host is trusted (push.trustedHosts)',
          }}
        />
        <h3>How long it takes to answer</h3>
        <p>
          {endpoint.latency ? (
            <>
              Median {latencyText(endpoint.latency, endpoint.latency.medianMs)}, 95 of 100 within{' '}
              {latencyText(endpoint.latency, endpoint.latency.p95Ms)}, of its last{' '}
              {counted(endpoint.latency.attempts, 'attempt')},{' '}
              <Time at={endpoint.latency.measuredAt} />.
            </>
          ) : (
            <span className="faint">Nothing was measured of it lately.</span>
          )}
        </p>
        <Loaded query={attempts}>
          {(newest) => (
            <>
              {newest.some(({ isRounded }) => isRounded) && (
                <p className="faint">
                  Of receivers at private addresses it is known in whole seconds, rounded up.
                </p>
              )}
              {newest.length > 1 && (
                <Chart
                  label={`Latency of ${endpoint.origin}`}
                  unit=" ms"
                  height={140}
                  times={newest.map(({ at }) => Date.parse(at) / 1000)}
                  series={[
                    {
                      label: 'answered',
                      colour: '--good',
                      values: newest.map(({ error, durationMs }) =>
                        error === null ? durationMs : null,
                      ),
                    },
                    {
                      label: 'failed',
                      colour: '--bad',
                      values: newest.map(({ error, durationMs }) =>
                        error === null ? null : durationMs,
                      ),
                    },
                  ]}
                />
              )}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

/** Counted for itself: the list of those that lost events is not counted as often. */
function LostFact({ name, range }: { readonly name: string; readonly range: TimeRange }) {
  const lost = useQuery({
    queryKey: [LOST_OF, name, range],
    queryFn: ({ signal }) => countLost(name, signal, spanOf(range)),
    staleTime: 0,
    refetchInterval: every(LOST_EVERY_MS),
  });
  if (!lost.data) return lost.error ? 'could not be counted' : '…';
  const { count, own, isLeast } = lost.data;
  return (
    <>
      {count === 0 ? (
        'none'
      ) : (
        <LostLink
          search={{ ...range, tab: 'dead-letters', endpoint: name }}
          count={count}
          own={own}
          text={`${count.toLocaleString('en')}${isLeast ? '+' : ''}`}
        />
      )}{' '}
      ({rangeText(range)})
    </>
  );
}
