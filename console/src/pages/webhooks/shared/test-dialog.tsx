import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { ErrorView, Loading } from '../../../ui/feedback';
import { Facts } from '../../../ui/page';
import { durationText } from '../../../ui/time';
import { refreshPush } from '../keys';
import { type SentRequest, SentRequestView } from './sent-request';

/** What became of a test. */
export interface TestOutcome {
  readonly delivered: boolean;
  readonly webhookId: string;
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  readonly response: string | null;
  /** Of a hub that shows it. */
  readonly request?: SentRequest | null;
}

/** Sends a test at once and shows what was sent and what came back. */
export function TestDialog({
  what,
  onTest,
  onClose,
}: {
  readonly what: string;
  readonly onTest: () => Promise<TestOutcome>;
  readonly onClose: () => void;
}) {
  const test = useMutation({ mutationFn: onTest, onSettled: () => void refreshPush() });
  const { mutate } = test;
  useEffect(() => {
    // Not twice where effects run twice.
    const timer = setTimeout(() => mutate());
    return () => clearTimeout(timer);
  }, [mutate]);
  return (
    <Dialog
      wide
      open
      title={`Test of ${what}`}
      description="One request by the way of every delivery, marked as a test. When the receiver takes it, its breaker closes and what waits is sent; what is disabled stays so."
      onClose={onClose}
    >
      <div className="dialog-body">
        {test.error && <ErrorView error={test.error} />}
        {!test.error && !test.data && <Loading what="Waiting for the receiver …" />}
        {test.data && !test.isPending && <TestOutcomeView outcome={test.data} />}
      </div>
      <footer className="dialog-foot">
        <Button busy={test.isPending} onClick={() => mutate()}>
          Test again
        </Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}

/** What was sent, and what came back. */
export function TestOutcomeView({ outcome }: { readonly outcome: TestOutcome }) {
  const { delivered, status, durationMs, error, response, request, webhookId } = outcome;
  return (
    <>
      <p role="status">
        <Badge tone={delivered ? 'good' : 'bad'}>{delivered ? 'delivered' : 'not delivered'}</Badge>{' '}
        {status === null ? 'No answer' : `HTTP ${status}`} after {durationText(durationMs)}
        {error && !delivered && error !== `HTTP ${status}` && `: ${error}`}
      </p>
      {request ? (
        <>
          <h3>What was sent</h3>
          <SentRequestView request={request} />
        </>
      ) : (
        <Facts facts={{ 'webhook-id': <code>{webhookId}</code> }} />
      )}
      <h3>What came back</h3>
      {response ? (
        <pre aria-label="What came back">{response}</pre>
      ) : (
        <p className="faint">
          {status === null ? 'Nothing.' : 'An answer without a body, or one that is not shown.'}
        </p>
      )}
    </>
  );
}
