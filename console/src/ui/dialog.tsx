import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { Button } from './button';
import { ErrorView } from './feedback';
import { Icon } from './icons';

export interface DialogProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** Closed by its own buttons alone: neither by Escape nor by a click beside it. */
  readonly stays?: boolean;
  /** What has the focus at first; else the first field, and without one what comes first. */
  readonly first?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

const FIELDS =
  '.dialog-body :is(input:enabled:not([type=hidden],[hidden]), select:enabled, textarea:enabled, [contenteditable=true])';

/** What had the focus before the first of the dialogs that follow one another. */
let before: HTMLElement | null = null;

/** What has the focus, or the button of the menu in which that is: the menu closes. */
function focused(): HTMLElement | null {
  const { activeElement } = document;
  const menu = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const found = menu ? document.getElementById(menu) : activeElement;
  if (!(found instanceof HTMLElement) || found === document.body) return null;
  if (!found.closest('[role=dialog]')) before = found;
  return found;
}

/** Gives the focus back; of tabs, to the one in front: a tab that gets the focus comes to the front. */
function focusAgain(element: HTMLElement | null): void {
  const inFront = element
    ?.closest('[role=tablist]')
    ?.querySelector<HTMLElement>('[role=tab][aria-selected=true]');
  (inFront ?? element)?.focus();
}

/** The first field of a dialog. */
function fieldOf(dialog: EventTarget | null): HTMLElement | null {
  return dialog instanceof Element ? dialog.querySelector<HTMLElement>(FIELDS) : null;
}

function preventDefault(event: Event): void {
  event.preventDefault();
}

export function Dialog({
  title,
  description,
  open,
  onClose,
  wide = false,
  stays = false,
  first,
  children,
}: DialogProps) {
  const opener = useRef<HTMLElement | null>(null);
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="overlay" />
        <Radix.Content
          className={wide ? 'dialog dialog-wide' : 'dialog'}
          {...(description === undefined && { 'aria-describedby': undefined })}
          {...(stays && { onEscapeKeyDown: preventDefault, onInteractOutside: preventDefault })}
          onOpenAutoFocus={(event) => {
            opener.current = focused();
            const begin = first?.current ?? fieldOf(event.target);
            if (begin === null) return;
            event.preventDefault();
            begin.focus();
          }}
          onCloseAutoFocus={(event) => {
            // There is no trigger that it would be given back to.
            event.preventDefault();
            focusAgain(opener.current?.isConnected ? opener.current : before);
          }}
        >
          <header className="dialog-head">
            <Radix.Title>{title}</Radix.Title>
            {!stays && (
              <Radix.Close className="copy" aria-label="Close">
                <Icon name="close" />
              </Radix.Close>
            )}
          </header>
          {description && <Radix.Description className="lead">{description}</Radix.Description>}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Asks before something that cannot be taken back, does it, and shows why it failed. */
export function Confirm({
  title,
  children,
  action,
  danger = true,
  keep = 'Keep as it is',
  open,
  onClose,
  onConfirm,
}: {
  readonly title: string;
  /** What will happen. */
  readonly children: ReactNode;
  /** The verb on the button. */
  readonly action: string;
  readonly danger?: boolean;
  /** What is on the button that closes it. */
  readonly keep?: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const safe = useRef<HTMLButtonElement>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} open={open} onClose={close} first={safe}>
      <div className="dialog-body">
        {children}
        {error !== null && <ErrorView error={error} />}
      </div>
      <footer className="dialog-foot">
        <Button ref={safe} onClick={close}>
          {keep}
        </Button>
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void confirm()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
