import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { queries } from '../../../api/client';
import { Button } from '../../../ui/button';
import { Dialog } from '../../../ui/dialog';
import { ErrorView, Loading, Notice } from '../../../ui/feedback';
import { Checkbox, Field, TextInput } from '../../../ui/field';
import { counted } from '../../../ui/lists';
import { Progress } from '../../../ui/progress';
import { type Failure, runEach } from '../../../ui/run-each';
import { TaskLink } from '../../../ui/task-link';
import { notify } from '../../../ui/toast';
import type { ManyAction, MeantTasks } from './many-tasks';
import { MOST_AT_ONCE, tasksMeant } from './tasks-meant';

/** Requests at a time: each waits until the agents of its task have stopped. */
const AT_ONCE = 4;
const FAILURES_SHOWN = 50;

/** Says how many tasks are meant, asks, does it with one after the other, and lists what could not be done. */
export function ManyTasksDialog({
  meant,
  action,
  onClose,
  onDone,
}: {
  readonly meant: MeantTasks;
  readonly action: ManyAction;
  readonly onClose: () => void;
  /** Each was tried. */
  readonly onDone: () => void;
}) {
  const [reason, setReason] = useState('');
  const [withRetried, setWithRetried] = useState(false);
  const [ids, setIds] = useState<readonly string[] | null>(null);
  const [done, setDone] = useState<number | null>(null);
  const [failures, setFailures] = useState<readonly Failure[] | null>(null);
  const stop = useRef<AbortController | null>(null);
  const safe = useRef<HTMLButtonElement>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const found = useQuery({
    queryKey: ['tasks-meant', action.verb, meant],
    queryFn: ({ signal }) =>
      meant.kind === 'ids'
        ? { ids: meant.ids, retried: meant.retried, isLeast: false }
        : tasksMeant(meant.search, meant.span, action, signal),
    staleTime: Infinity,
    gcTime: 0,
  });
  const retried = new Set(action.leavesOutRetried ? found.data?.retried : []);
  const those =
    ids ?? found.data?.ids.filter((id) => withRetried || !retried.has(id)).slice(0, MOST_AT_ONCE);
  const isRunning = done !== null && failures === null;
  const work = (id: string) => action.of(id, reason);
  const run = async (these: readonly string[]) => {
    const { signal } = (stop.current = new AbortController());
    setIds(these);
    setFailures(null);
    setDone(0);
    const failed = await runEach(these, work, { atOnce: AT_ONCE, signal, onProgress: setDone });
    await queries.invalidateQueries({ queryKey: ['tasks'] });
    if (signal.aborted) return;
    onDone();
    if (failed.length > 0) return setFailures(failed);
    notify(`${counted(these.length, 'task')} ${action.done}.`);
    onClose();
  };
  const many = those && counted(those.length, 'task');
  return (
    <Dialog title={action.title} open first={safe} onClose={onClose}>
      <div className="dialog-body">
        {found.isPending && <Loading what="Counting …" />}
        {found.error && <ErrorView error={found.error} onRetry={() => void found.refetch()} />}
        {those && done === null && (
          <>
            <Notice tone={action.danger ? 'warning' : 'info'}>
              <p>
                {those.length === 0 && retried.size > 0 ? (
                  <strong>
                    {retried.size === 1
                      ? 'It was retried already.'
                      : `Each of these ${retried.size.toLocaleString('en')} tasks was retried already.`}
                  </strong>
                ) : (
                  <>
                    <strong>{many}</strong>
                    {meant.kind === 'ids' ? ' that you have chosen.' : ` ${action.matching}`}{' '}
                    {action.warning}
                  </>
                )}
              </p>
              {found.data?.isLeast && (
                <p>
                  There are more: {MOST_AT_ONCE.toLocaleString('en')} are {action.done} at a time.
                </p>
              )}
            </Notice>
            {retried.size > 0 && (
              <Checkbox
                label={`Also ${counted(retried.size, 'task')} that ${retried.size === 1 ? 'was' : 'were'} retried already`}
                checked={withRetried}
                onChange={({ target }) => setWithRetried(target.checked)}
              />
            )}
            {action.asksReason && (
              <Field label="Reason" hint="For their clients and for the log; may be left empty.">
                <TextInput
                  value={reason}
                  maxLength={500}
                  onChange={({ target }) => setReason(target.value)}
                />
              </Field>
            )}
          </>
        )}
        {those && done !== null && (
          <Progress label={action.title} done={done} of={those.length} said="Worked off" />
        )}
        {failures && <Failures failures={failures} of={those?.length ?? 0} done={action.done} />}
      </div>
      <footer className="dialog-foot">
        <Button ref={safe} onClick={onClose}>
          {closeLabel(done, failures)}
        </Button>
        <Button
          kind={action.danger ? 'danger' : 'primary'}
          busy={isRunning}
          disabled={!those || those.length === 0}
          onClick={() => void run(failures ? failures.map(({ id }) => id) : those!)}
        >
          {failures
            ? `Try again: ${counted(failures.length, 'task')}`
            : `${action.verb} ${those && those.length > 0 ? many : ''}`}
        </Button>
      </footer>
    </Dialog>
  );
}

function closeLabel(done: number | null, failures: readonly Failure[] | null): string {
  if (failures) return 'Close';
  return done === null ? 'Keep as it is' : 'Stop';
}

function Failures({
  failures,
  of,
  done,
}: {
  readonly failures: readonly Failure[];
  readonly of: number;
  readonly done: string;
}) {
  return (
    <div className="notice notice-bad" role="alert">
      <p>
        <strong>
          {counted(of - failures.length, 'task')} {done}.
        </strong>{' '}
        {counted(failures.length, 'task')} could not be:
      </p>
      <ul className="tasks-failures">
        {failures.slice(0, FAILURES_SHOWN).map(({ id, why }) => (
          <li key={id}>
            <TaskLink id={id} /> {why}
          </li>
        ))}
      </ul>
      {failures.length > FAILURES_SHOWN && (
        <p>… and {counted(failures.length - FAILURES_SHOWN, 'more', 'more')}.</p>
      )}
    </div>
  );
}
