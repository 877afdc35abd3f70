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
  /** What has the focus at first; else what comes first. */
  readonly first?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

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
            if (!first?.current) return;
            event.preventDefault();
            first.current.focus();
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
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => Promise<unknown>;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const keep = useRef<HTMLButtonElement>(null);
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
    <Dialog title={title} open={open} onClose={close} first={keep}>
      <div className="dialog-body">
        {children}
        {error !== null && <ErrorView error={error} />}
      </div>
      <footer className="dialog-foot">
        <Button ref={keep} onClick={close}>
          Keep as it is
        </Button>
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={() => void confirm()}>
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}
