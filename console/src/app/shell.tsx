import { Link, Navigate, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useCredential } from '../api/credential';
import { useConnectionLost } from '../api/connection';
import { nameOf, type Scope, useMe } from '../api/me';
import { mayOpen, scopesOf, scopeText } from '../api/page-scopes';
import { useSessionEnded } from '../api/session-end';
import { signOut, useCallerNumber } from '../api/sign-in';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { ErrorView, Loading, Notice } from '../ui/feedback';
import { Icon } from '../ui/icons';
import { ConfirmLoss, hasUnsaved } from '../ui/leave-guard';
import { Page } from '../ui/page';
import { notify, Toasts } from '../ui/toast';
import { NAV } from './nav';
import { PaletteOpener } from './palette/palette-opener';
import { SignInView } from './sign-in-view';
import { chooseTheme, useTheme } from '../ui/theme';
import { warmPages } from './warm-pages';

/** What is around every page: the navigation, who is signed in, and the sign-in of who is not. */
export function Shell() {
  const { kind } = useCredential();
  const caller = useCallerNumber();
  return (
    <>
      {kind === 'none' ? <Welcome /> : <SignedIn key={caller} />}
      <Toasts />
    </>
  );
}

function Welcome() {
  useEffect(() => {
    document.title = 'Sign in · A2A Hub';
  }, []);
  return (
    <main className="welcome">
      <div className="card">
        <div className="card-body">
          <h1>A2A Hub</h1>
          <p className="lead">Sign in to see agents, tasks and webhooks.</p>
          <SignInView />
        </div>
      </div>
    </main>
  );
}

function SignedIn() {
  const me = useMe();
  const router = useRouter();
  useEffect(() => warmPages(router), [router]);
  const ended = useSessionEnded();
  const lost = useConnectionLost();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // On narrow screens: open on this page; the next one begins without it.
  const [openOn, setOpenOn] = useState<string | null>(null);
  const open = openOn === path;
  return (
    <div className={open ? 'shell shell-open' : 'shell'}>
      <a className="skip" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <header className="bar">
        <Button
          kind="quiet"
          className="bar-menu"
          aria-label="Navigation"
          aria-expanded={open}
          onClick={() => setOpenOn(open ? null : path)}
          icon={<Icon name="menu" />}
        />
        <Link to="/" className="brand">
          A2A Hub
        </Link>
        {me.data && <PaletteOpener />}
      </header>
      <nav className="nav" aria-label="Pages">
        <ul>
          {NAV.filter(({ to }) => me.data && mayOpen(me.data.scopes, to)).map(
            ({ to, label, icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  className="nav-link"
                >
                  <Icon name={icon} /> {label}
                </Link>
              </li>
            ),
          )}
        </ul>
        <Who />
      </nav>
      <main id="content" className="content" tabIndex={-1}>
        {lost && (
          <Notice tone="bad">
            <strong>No connection</strong> The hub cannot be reached. What is shown may be old; it
            is tried again by itself.
          </Notice>
        )}
        {me.isPending && <Loading />}
        {me.error && !ended && <ErrorView error={me.error} onRetry={() => void me.refetch()} />}
        {me.data && <Opened at={path} scopes={me.data.scopes} />}
      </main>
      <Dialog
        title="Sign in again"
        description="The hub does not take what you signed in with any more: it has run out or was ended. For the same caller this page stays as it is."
        open={ended}
        onClose={() => void leave(false)}
      >
        <div className="dialog-body">
          <SignInView again />
        </div>
      </Dialog>
    </div>
  );
}

/** The page of this address, as far as one may open it. Whom the overview has no numbers for begins at another page. */
function Opened({ at, scopes }: { readonly at: string; readonly scopes: readonly Scope[] }) {
  if (mayOpen(scopes, at)) return <Outlet />;
  if (at !== '/') return <Lacking at={at} />;
  const first = NAV.findLast(({ to }) => mayOpen(scopes, to));
  return first ? <Navigate to={first.to} replace /> : <Outlet />;
}

/** Instead of a page that what one signed in with does not open. */
function Lacking({ at }: { readonly at: string }) {
  return (
    <Page title={NAV.find(({ to }) => to !== '/' && at.startsWith(to))?.label ?? 'This page'}>
      <Notice tone="warning">
        This page needs {scopeText(scopesOf(at) ?? [])}, which your key or sign-in does not have.
      </Notice>
    </Page>
  );
}

function focusContent(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

function Who() {
  const { kind } = useCredential();
  const me = useMe();
  const theme = useTheme();
  const next = theme === 'dark' ? 'light' : 'dark';
  const [asks, setAsks] = useState(false);
  const isSession = kind === 'session';
  return (
    <div className="who">
      {me.data && (
        <p title={me.data.scopes.join(' ')}>
          <strong title={me.data.id}>{nameOf(me.data)}</strong>
          <span className="faint">{me.data.organization}</span>
        </p>
      )}
      <div className="actions">
        <Button
          small
          kind="quiet"
          aria-label={`Use the ${next} colours`}
          icon={<Icon name={theme === 'dark' ? 'sun' : 'moon'} />}
          onClick={() => chooseTheme(next)}
        />
        <Button small onClick={() => (hasUnsaved() ? setAsks(true) : void leave(isSession))}>
          Sign out
        </Button>
      </div>
      <ConfirmLoss
        what="Sign out"
        open={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => leave(isSession)}
      />
    </div>
  );
}

async function leave(isSession: boolean): Promise<void> {
  try {
    await signOut(isSession);
  } catch {
    notify('The session could not be ended at the hub: you are signed in still. Try again.');
  }
}
