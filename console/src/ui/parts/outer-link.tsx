import { type ReactNode, useState } from 'react';
import { CopyButton } from '../copy';
import { Dialog } from '../dialog';
import { Icon } from '../icons';

/** A link that came with a content: a click shows where it leads, and a second one goes there. */
export function OuterLink({
  href,
  children,
}: {
  readonly href: string;
  readonly children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const url = outerUrl(href);
  if (url === null) return <span title={href}>{children}</span>;
  return (
    <>
      <button type="button" className="link outer-link" onClick={() => setOpen(true)}>
        {children}
      </button>
      <Dialog
        title="A link out of the console"
        description="It came with the content, and the hub has not looked at what is there."
        open={open}
        onClose={() => setOpen(false)}
      >
        <div className="dialog-body">
          <p className="outer-link-host">
            Leads to <strong>{url.host || url.pathname}</strong>
          </p>
          <p className="outer-link-address">
            <code>{url.href}</code> <CopyButton text={url.href} label="Copy the address" />
          </p>
        </div>
        <footer className="dialog-foot">
          <a
            className="button button-primary"
            href={url.href}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => setOpen(false)}
          >
            <Icon name="external" /> Open in a new tab
          </a>
        </footer>
      </Dialog>
    </>
  );
}

/** The address where it is one that leads elsewhere; null for scripts, files, parts of this page. */
function outerUrl(href: string): URL | null {
  try {
    const url = new URL(href);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}
