import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Empty, ErrorView, Loaded } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { counted } from '../../../ui/lists';
import { BulkDialog } from '../dead-letters/bulk-dialog';
import { type Count, countLost, type LostCount } from '../dead-letters/dead-letter-count';
import { PUSH, refreshPush } from '../keys';
import { type TestOutcome, TestOutcomeView } from '../shared/test-dialog';
import { testOf, type Testable, testablesOf } from '../shared/testables';
import { disabledOf } from './disabled-webhooks';
import { ResumeWebhooks } from './resume-webhooks';

/**
 * One way back for a receiver that was repaired: a test, which closes its breaker, its disabled webhooks resumed, then what it lost
 * once more; each step after the one before.
 */
export function RecoverReceiver({ endpoint }: { readonly endpoint: Schema<'EndpointDto'> }) {
  const name = `${endpoint.organization} ${endpoint.origin}`;
  const [chosen, setChosen] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [isResuming, setResuming] = useState(false);
  const isDisabled = endpoint.state === 'disabled';
  // A test that it accepts takes away that it said so, and resumes nothing.
  const [hadDisabled, setHadDisabled] = useState(isDisabled || endpoint.gone);
  const disabled = useQuery({
    queryKey: [PUSH, 'disabled-of', name],
    queryFn: ({ signal }) => disabledOf(endpoint, signal),
    // Those that are being resumed are fewer and fewer.
    enabled: !isResuming,
  });
  const left = disabled.data?.webhooks.length;
  const hasResume = hadDisabled || (left !== undefined && left > 0);
  const webhooks = useQuery({
    queryKey: [PUSH, 'testables', name],
    queryFn: ({ signal }) => testablesOf(endpoint, signal),
  });
  const lost = useQuery({
    queryKey: [PUSH, 'dead-letters-count', 'of', name],
    queryFn: ({ signal }) => countLost(name, signal),
  });
  const test = useMutation({ mutationFn: testOf, onSettled: () => void refreshPush() });
  const many =
    lost.data && `${counted(lost.data.own, 'lost event')}${lost.data.isLeast ? ' or more' : ''}`;
  // Of none that one can test it with nothing has to be waited for.
  const isTested =
    webhooks.data?.length === 0 || (test.data?.delivered ?? endpoint.state === 'healthy');
  const isReady = isTested && left === 0 && !isResuming;
  const ofOthers = lost.data === undefined ? 0 : lost.data.count - lost.data.own;
  return (
    <section aria-label="Bring it back">
      <h3>1. Test it</h3>
      <Loaded query={webhooks}>
        {(all) => (
          <Test
            all={all}
            chosen={chosen}
            onChoose={setChosen}
            test={test}
            isDisabled={isDisabled}
          />
        )}
      </Loaded>
      {hasResume && (
        <ResumeWebhooks
          endpoint={endpoint}
          disabled={disabled}
          isNext={isTested}
          isRunning={isResuming}
          onRunning={(isRunning) => {
            setHadDisabled(true);
            setResuming(isRunning);
          }}
        />
      )}
      <h3>{hasResume ? '3' : '2'}. Send again what it lost</h3>
      {lost.error && <ErrorView error={lost.error} />}
      <p className="actions">
        <Button
          kind={isReady ? 'primary' : 'plain'}
          disabled={!isReady || !lost.data || lost.data.own === 0}
          onClick={() => setSending(true)}
        >
          {lost.data?.own === 0 ? 'Nothing to send again' : `Send ${many ?? 'lost events'} again`}
        </Button>
      </p>
      {ofOthers > 0 && (
        <p className="faint">
          {counted(ofOthers, 'lost event is', 'lost events are')} of tasks of others: whoever has
          the scope <code>tasks:organization</code> can send them again.
        </p>
      )}
      {isSending && (
        <BulkDialog
          action="redeliver"
          meant={{ kind: 'matching', query: { endpoint: name } }}
          countOf={async (signal) => ownOf(await countLost(name, signal))}
          onClose={() => setSending(false)}
          onDone={() => setSending(false)}
        />
      )}
    </section>
  );
}

/** Those that one may send again. */
function ownOf({ own, isLeast }: LostCount): Count {
  return { count: own, isLeast };
}

function Test({
  all,
  chosen,
  onChoose,
  test,
  isDisabled,
}: {
  readonly all: readonly Testable[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly test: {
    readonly mutate: (webhook: Testable) => void;
    readonly isPending: boolean;
    readonly error: unknown;
    readonly data: TestOutcome | undefined;
  };
  readonly isDisabled: boolean;
}) {
  const webhook = all.find(({ id }) => id === chosen) ?? all[0];
  if (webhook === undefined) {
    return (
      <Empty title="No webhook goes there any more">
        Neither a subscription nor a webhook of a task does: there is nothing to test it with.
      </Empty>
    );
  }
  return (
    <>
      <div className="actions">
        <Field label="With the webhook">
          <Select
            value={webhook.id}
            onChange={({ target }) => onChoose(target.value)}
            options={all.map(({ id, label }) => ({ value: id, label }))}
          />
        </Field>
        <Button busy={test.isPending} onClick={() => test.mutate(webhook)}>
          Test now
        </Button>
      </div>
      {!isDisabled && (
        <p className="faint">
          When the receiver takes the test, its breaker closes and what waits is sent at once.
        </p>
      )}
      {test.error != null && <ErrorView error={test.error} />}
      {test.data && !test.isPending && <TestOutcomeView outcome={test.data} />}
    </>
  );
}
