import { useRef } from 'react';
import { Button } from './button';
import { CopyButton } from './copy';
import { Dialog } from './dialog';
import { Notice } from './feedback';
import { LeaveGuard } from './leave-guard';

/** A secret that the hub shows once: it can be copied until the dialog is closed. */
export function OnceSecret({
  title,
  label,
  secret,
  onClose,
}: {
  readonly title: string;
  /** What it is: `API key`. */
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  const isStored = useRef(false);
  const close = () => {
    // The address may change with it.
    isStored.current = true;
    onClose();
  };
  return (
    <Dialog title={title} open stays onClose={close}>
      <div className="dialog-body">
        <Notice tone="warning">
          <p>Copy it now. It is shown this once and cannot be read again.</p>
        </Notice>
        <p className="once-secret">
          <code aria-label={label}>{secret}</code>
          <CopyButton text={secret} label={`Copy the ${label}`} />
        </p>
      </div>
      <footer className="dialog-foot">
        <Button kind="primary" onClick={close}>
          I have stored it
        </Button>
      </footer>
      <LeaveGuard
        inDialog
        isUnsaved={() => !isStored.current}
        loss={`The ${label} is shown this once and cannot be read again.`}
      />
    </Dialog>
  );
}
