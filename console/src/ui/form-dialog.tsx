import { type ReactNode, useEffect, useRef, useState } from 'react';
import { asProblem, type FieldViolation } from '../api/problem';
import { Button } from './button';
import { Dialog } from './dialog';
import { AskDoubts, useDoubtfulSave } from './doubts';
import { FoundWhenSent } from './field';
import { ConfirmLoss, LeaveGuard } from './leave-guard';
import { SaveFault, type WaysOn } from './save-fault';

/**
 * A form in a dialog: sends it, closes when it was taken, and shows why it was not. `children` get what the hub said of
 * single fields, to be shown at these. Escape, a click beside it, and leaving the page ask first once something was written. Mount it while it is open, so that it begins anew each time.
 */
export function FormDialog<T extends object>({
  title,
  description,
  action,
  wide = false,
  onClose,
  check,
  onSubmit,
  ways,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  /** The verb on the button. */
  readonly action: string;
  readonly wide?: boolean;
  readonly onClose: () => void;
  /** Called before it is sent: throws what is wrong; of what it returns, sentences on what is most likely meant otherwise, it is asked first. */
  readonly check?: () => Promise<readonly string[]>;
  /** False keeps it open: it has something to show. */
  readonly onSubmit: () => Promise<unknown>;
  /** Of what has versions: how to go on when somebody else has saved before. */
  readonly ways?: ((run: () => void, clear: () => void) => WaysOn<T>) | undefined;
  readonly children: (violations: readonly FieldViolation[]) => ReactNode;
}) {
  const isClosed = useRef(false);
  const close = () => {
    // The address may change with it.
    isClosed.current = true;
    onClose();
  };
  const { busy, error, submit, run, clear, doubts } = useDoubtfulSave(
    async () => (await check?.()) ?? [],
    async () => {
      if ((await onSubmit()) !== false) close();
    },
  );
  const violations = error === null ? [] : asProblem(error).violations;
  const [isTouched, setTouched] = useState(false);
  const [asks, setAsks] = useState(false);
  const touch = () => setTouched(true);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]');
    wrong?.focus();
    wrong?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <Dialog
      title={title}
      description={description}
      open
      wide={wide}
      onClose={() => (isTouched ? setAsks(true) : close())}
    >
      <form
        ref={form}
        className="dialog-body"
        onSubmit={submit}
        onInput={touch}
        onChange={touch}
        noValidate
      >
        <FoundWhenSent value>{children(violations)}</FoundWhenSent>
        {error !== null && <SaveFault error={error} ways={ways?.(run, clear)} />}
        <footer className="dialog-foot">
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy}>
            {action}
          </Button>
        </footer>
      </form>
      <AskDoubts action={action} doubts={doubts} />
      <LeaveGuard inDialog isUnsaved={() => isTouched && !busy && !isClosed.current} />
      <ConfirmLoss
        what="Close"
        open={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => Promise.resolve(close())}
      />
    </Dialog>
  );
}
