import { type FormEvent, type ReactNode, useState } from 'react';
import { asProblem, type FieldViolation } from '../api/problem';
import { Button } from './button';
import { Dialog } from './dialog';
import { ErrorView } from './feedback';

/**
 * A form in a dialog: sends it, closes when it was taken, and shows why it was not. `children` get what the hub said of
 * single fields, to be shown at these. Mount it while it is open, so that it begins anew each time.
 */
export function FormDialog({
  title,
  description,
  action,
  wide = false,
  onClose,
  onSubmit,
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
  readonly children: (violations: readonly FieldViolation[]) => ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      if ((await onSubmit()) !== false) onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const violations = error === null ? [] : asProblem(error).violations;
  return (
    <Dialog title={title} description={description} open wide={wide} onClose={onClose}>
      <form className="dialog-body" onSubmit={(event) => void submit(event)} noValidate>
        {children(violations)}
        {error !== null && <ErrorView error={error} />}
        <footer className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
