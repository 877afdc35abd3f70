import type { Schema } from '../../../api/client';
import { useState } from 'react';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { Loaded, Notice } from '../../../ui/feedback';
import { Chart } from '../../../ui/lazy-chart';
import { counted } from '../../../ui/lists';
import { Facts } from '../../../ui/page';
import { Time } from '../../../ui/time';
import { EndpointStateBadge } from '../shared/push-badges';
import { SearchLink } from '../shared/search-link';
import { useAttempts } from './attempts';
import { latencyText } from './latency-text';
import { RecoverReceiver } from './recover-receiver';

/** All about one receiver: its breaker, how fast it answers, and where its webhooks and deliveries are. */
export function ReceiverDialog({
  endpoint,
  onClose,
}: {
  readonly endpoint: Schema<'EndpointDto'>;
  readonly onClose: () => void;
}) {
  const name = `${endpoint.organization} ${endpoint.origin}`;
  const attempts = useAttempts(name);
  const [isRecovering, setRecovering] = useState(false);
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
                : endpoint.rejects
                  ? 'It answers, but did not accept the last event. What it rejects is not tried again by itself.'
                  : endpoint.breaker === 'open'
                    ? 'Deliveries wait, and one is tried at a time until it answers.'
                    : 'What it did not accept is tried again.'}
            </p>
          </Notice>
        )}
        {endpoint.heldReason !== null && <Notice tone="info">{endpoint.heldReason}</Notice>}
        <Facts
          facts={{
            Health: <EndpointStateBadge endpoint={endpoint} />,
            'Failures in a row': endpoint.failures,
            'Failing since': endpoint.failingSince && <Time at={endpoint.failingSince} />,
            'Disabled since': endpoint.disabledAt && <Time at={endpoint.disabledAt} />,
            'Next try': endpoint.nextProbeAt && <Time at={endpoint.nextProbeAt} />,
            'Last answered': <Time at={endpoint.lastSuccessAt} />,
            'Last failed': <Time at={endpoint.lastFailureAt} />,
            'Webhooks waiting': endpoint.waiting,
            'Attempts at once, at most': endpoint.slots,
            'Consent to be called': endpoint.verifiedBy
              ? { challenge: 'by the challenge', list: 'its host is trusted' }[endpoint.verifiedBy]
              : 'not yet, so it is called at a limited rate',
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
        {isRecovering && <RecoverReceiver endpoint={endpoint} />}
        <p className="actions">
          {!isRecovering && <Button onClick={() => setRecovering(true)}>Bring it back …</Button>}
          <SearchLink search={{ tab: 'dead-letters', endpoint: name }}>Dead letters</SearchLink>
          <SearchLink search={{ tab: 'deliveries', endpoint: name }}>Deliveries</SearchLink>
          <SearchLink search={{ tab: 'webhooks', endpoint: name }}>Webhooks of tasks</SearchLink>
        </p>
      </div>
    </Dialog>
  );
}
