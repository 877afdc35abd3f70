import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { ErrorView, Loading, Notice } from '../../../ui/feedback';
import { counted } from '../../../ui/lists';
import { Progress } from '../../../ui/progress';
import { notify } from '../../../ui/toast';
import { PUSH, refreshLost, refreshPush } from '../keys';
import { partsOfEndpoint } from '../shared/endpoint-name';
import { SearchLink } from '../shared/search-link';
import { type BulkAction, type Meant, runBulk } from './bulk';
import { type Count, countMatching } from './dead-letter-count';

const TEXTS = {
  redeliver: {
    title: 'Send dead letters again',
    verb: 'Send again',
    running: 'Sent again',
    done: 'sent again',
    others:
      'the webhook was deleted or is disabled, a replay sends them, or they were sent or deleted meanwhile',
    what: 'They are sent again, the oldest first, each with its webhook-id. Those whose webhook was deleted or is disabled, or which a replay sends, are passed over.',
  },
  purge: {
    title: 'Delete dead letters',
    verb: 'Delete',
    running: 'Deleted',
    done: 'deleted',
    others: 'they were sent or deleted meanwhile',
    what: 'They are deleted with their attempts. This cannot be undone: their receivers never get them.',
  },
} as const;

/** Receivers that are linked. */
const MOST_RECEIVERS = 5;

/** Says how many dead letters are meant, asks, and shows how far it is. */
export function BulkDialog({
  action,
  meant,
  countOf,
  receivers = [],
  onClose,
  onDone,
}: {
  readonly action: BulkAction;
  readonly meant: Meant;
  /** How many there are to do it to, where those that fit are more. */
  readonly countOf?: (signal: AbortSignal) => Promise<Count>;
  /** Where those that are meant were to go, as far as it is known. */
  readonly receivers?: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const text = TEXTS[action];
  const [progress, setProgress] = useState<number | null>(null);
  const [passedOver, setPassedOver] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController | null>(null);
  const safe = useRef<HTMLButtonElement>(null);
  const count = useQuery({
    queryKey: [PUSH, 'dead-letters-count', meant, countOf !== undefined],
    queryFn: ({ signal }): Count | Promise<Count> =>
      meant.kind === 'ids'
        ? { count: meant.ids.length, isLeast: false }
        : (countOf?.(signal) ?? countMatching(meant.query, signal)),
    // While it runs there are fewer and fewer.
    enabled: progress === null && passedOver === null,
    staleTime: Infinity,
  });
  const close = () => {
    stop.current?.abort();
    onClose();
  };
  const run = async ({ count: meantCount, isLeast }: Count) => {
    setError(null);
    setProgress(0);
    stop.current = new AbortController();
    try {
      const { signal } = stop.current;
      const atMost = isLeast ? Infinity : meantCount;
      const done = await runBulk(action, meant, atMost, setProgress, signal);
      const others = signal.aborted || (isLeast && done > 0) ? 0 : meantCount - done;
      const left = others > 0 ? ` ${others.toLocaleString('en')} passed over: ${text.others}.` : '';
      const said = `${counted(done, 'dead letter')} ${text.done}.${left}`;
      if (left !== '' && action === 'redeliver') {
        setPassedOver(said);
        return;
      }
      notify(said);
      onDone();
    } catch (thrown) {
      setError(thrown);
      setProgress(null);
    } finally {
      await Promise.all([refreshPush(), refreshLost()]);
    }
  };
  if (passedOver !== null) {
    return (
      <PassedOver title={text.title} text={passedOver} receivers={receivers} onDone={onDone} />
    );
  }
  const many =
    count.data &&
    `${counted(count.data.count, 'dead letter')}${count.data.isLeast ? ' or more' : ''}`;
  return (
    <Dialog title={text.title} open first={safe} onClose={close}>
      <div className="dialog-body">
        {count.isPending && <Loading what="Counting …" />}
        {count.error && <ErrorView error={count.error} onRetry={() => void count.refetch()} />}
        {count.data && (
          <Notice tone={action === 'purge' ? 'warning' : 'info'}>
            <p>
              <strong>{many}</strong>
              {meant.kind === 'ids' ? ' that you have chosen.' : ' that fit the filters.'}{' '}
              {text.what}
            </p>
          </Notice>
        )}
        {progress !== null && count.data && (
          <Progress label={text.title} done={progress} of={count.data.count} said={text.running} />
        )}
        {error !== null && <ErrorView error={error} />}
      </div>
      <footer className="dialog-foot">
        <Button ref={safe} onClick={close}>
          {progress === null ? 'Keep as it is' : 'Stop'}
        </Button>
        <Button
          kind={action === 'purge' ? 'danger' : 'primary'}
          busy={progress !== null}
          disabled={!count.data || count.data.count === 0}
          onClick={() => void run(count.data!)}
        >
          {text.verb} {many ?? ''}
        </Button>
      </footer>
    </Dialog>
  );
}

/** Why some were passed over, and where what is disabled is resumed. */
function PassedOver({
  title,
  text,
  receivers,
  onDone,
}: {
  readonly title: string;
  readonly text: string;
  readonly receivers: readonly string[];
  readonly onDone: () => void;
}) {
  return (
    <Dialog title={title} open onClose={onDone}>
      <div className="dialog-body">
        <Notice tone="warning">
          <p>{text}</p>
          {receivers.slice(0, MOST_RECEIVERS).map((id) => (
            <p key={id}>
              <SearchLink search={{ tab: 'receivers', id, recover: 'true' }}>
                Bring it back: {partsOfEndpoint(id).origin}
              </SearchLink>{' '}
              resumes its disabled webhooks.
            </p>
          ))}
        </Notice>
      </div>
      <footer className="dialog-foot">
        <Button kind="primary" onClick={onDone}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
