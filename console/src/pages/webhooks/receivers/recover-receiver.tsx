import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Empty, ErrorView, Loaded } from '../../../ui/feedback';
import { Field, Select } from '../../../ui/field';
import { counted } from '../../../ui/lists';
import { BulkDialog } from '../dead-letters/bulk-dialog';
import { countMatching } from '../dead-letters/dead-letter-count';
import { PUSH, refreshPush } from '../keys';
import { type TestOutcome, TestOutcomeView } from '../shared/test-dialog';
import { testOf, type Testable, testablesOf } from '../shared/testables';

/** One way back for a receiver that was repaired: a test, which closes its breaker, then what it lost once more. */
export function RecoverReceiver({ endpoint }: { readonly endpoint: Schema<'EndpointDto'> }) {
  const name = `${endpoint.organization} ${endpoint.origin}`;
  const [chosen, setChosen] = useState<string>();
  const [isSending, setSending] = useState(false);
  const webhooks = useQuery({
    queryKey: [PUSH, 'testables', name],
    queryFn: ({ signal }) => testablesOf(endpoint, signal),
  });
  const lost = useQuery({
    queryKey: [PUSH, 'dead-letters-count', 'of', name],
    queryFn: ({ signal }) => countMatching({ endpoint: name }, signal),
  });
  const test = useMutation({ mutationFn: testOf, onSettled: () => void refreshPush() });
  const many =
    lost.data && `${counted(lost.data.count, 'lost event')}${lost.data.isLeast ? ' or more' : ''}`;
  return (
    <section aria-label="Bring it back">
      <h3>1. Test it</h3>
      <Loaded query={webhooks}>
        {(all) => <Test all={all} chosen={chosen} onChoose={setChosen} test={test} />}
      </Loaded>
      <h3>2. Send again what it lost</h3>
      {lost.error && <ErrorView error={lost.error} />}
      <p className="actions">
        <Button
          kind={test.data?.delivered ? 'primary' : 'plain'}
          disabled={!lost.data || lost.data.count === 0}
          onClick={() => setSending(true)}
        >
          {lost.data?.count === 0 ? 'No event is lost' : `Send ${many ?? 'lost events'} again`}
        </Button>
      </p>
      {isSending && (
        <BulkDialog
          action="redeliver"
          meant={{ kind: 'matching', query: { endpoint: name } }}
          onClose={() => setSending(false)}
          onDone={() => setSending(false)}
        />
      )}
    </section>
  );
}

function Test({
  all,
  chosen,
  onChoose,
  test,
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
}) {
  const webhook = all.find(({ id }) => id === chosen) ?? all[0];
  if (webhook === undefined) {
    return <Empty title="No webhook goes there any more">There is nothing to test it with.</Empty>;
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
      <p className="faint">
        When the receiver takes the test, its breaker closes and what waits is sent at once.
      </p>
      {test.error != null && <ErrorView error={test.error} />}
      {test.data && !test.isPending && <TestOutcomeView outcome={test.data} />}
    </>
  );
}
