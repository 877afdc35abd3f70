import { type ReactNode, useState } from 'react';
import { asProblem, type FieldViolation } from '../api/problem';
import { Button } from './button';
import { Confirm, Dialog } from './dialog';
import { SaveFault, type WaysOn } from './save-fault';
import { useSave } from './use-save';

/**
 * A form in a dialog: sends it, closes when it was taken, and shows why it was not. `children` get what the hub said of
 * single fields, to be shown at these. Escape and a click beside it ask first once something was written. Mount it while it is open, so that it begins anew each time.
 */
export function FormDialog<T extends object>({
  title,
  description,
  action,
  wide = false,
  onClose,
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
  /** False keeps it open: it has something to show. */
  readonly onSubmit: () => Promise<unknown>;
  /** Of what has versions: how to go on when somebody else has saved before. */
  readonly ways?: ((run: () => void, clear: () => void) => WaysOn<T>) | undefined;
  readonly children: (violations: readonly FieldViolation[]) => ReactNode;
}) {
  const { busy, error, submit, run, clear } = useSave(async () => {
    if ((await onSubmit()) !== false) onClose();
  });
  const violations = error === null ? [] : asProblem(error).violations;
  const [isTouched, setTouched] = useState(false);
  const [asks, setAsks] = useState(false);
  const touch = () => setTouched(true);
  return (
    <Dialog
      title={title}
      description={description}
      open
      wide={wide}
      onClose={() => (isTouched ? setAsks(true) : onClose())}
    >
      <form className="dialog-body" onSubmit={submit} onInput={touch} onChange={touch} noValidate>
        {children(violations)}
        {error !== null && <SaveFault error={error} ways={ways?.(run, clear)} />}
        <footer className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy}>
            {action}
          </Button>
        </footer>
      </form>
      <Confirm
        title="Close without saving?"
        action="Close without saving"
        open={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => Promise.resolve(onClose())}
      >
        <p>What you have written here is not saved yet, and will be lost.</p>
      </Confirm>
    </Dialog>
  );
}
