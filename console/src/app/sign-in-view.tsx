import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { queries } from '../api/client';
import { useCredential } from '../api/credential';
import { ApiProblem } from '../api/problem';
import { readSession, signInUrl, signInWithKey, takeSession } from '../api/sign-in';
import { Button } from '../ui/button';
import { ErrorView, Loading, Notice } from '../ui/feedback';
import { Field } from '../ui/field';
import { Icon } from '../ui/icons';

const LOOK_MS = 2000;
const NOT_LOOKED = '';

/**
 * Asks who comes: by a sign-in at the company's provider, or by a key that is pasted. `again`: above a page that stays, so that
 * the provider's pages open in another tab, and a session that is another than the one that was there is taken. So is the
 * session of somebody else that is in the place of the page's own.
 */
export function SignInView({ again = false }: { readonly again?: boolean }) {
  const session = useQuery({
    queryKey: ['console-session'],
    queryFn: readSession,
    ...(again && { refetchInterval: LOOK_MS, staleTime: 0 }),
  });
  const found = session.data?.session ?? null;
  const isRead = session.isFetchedAfterMount;
  const held = useCredential();
  // Which there was when it was looked last, as far as it is not one to be taken.
  const before = useRef<string | null>(again ? NOT_LOOKED : null);
  useEffect(() => {
    if (!isRead) return;
    const now = found && `${found.caller.id} ${found.expiresAt}`;
    const isOfOther = found !== null && held.kind === 'session' && held.caller !== found.caller.id;
    if (now === null || (before.current === NOT_LOOKED && !isOfOther)) before.current = now;
    else if (found !== null && now !== before.current) takeSession(found);
  }, [isRead, found, held]);
  if (session.isPending || (found !== null && !again))
    return <Loading what="Looking for a session …" />;
  const providers = session.data?.signIn ?? [];
  return (
    <div className="sign-in">
      {session.error && <ErrorView error={session.error} onRetry={() => void session.refetch()} />}
      {session.data?.fault && <Notice tone="warning">{session.data.fault.detail}</Notice>}
      {providers.map(({ issuer, name }) => (
        <a
          key={issuer}
          className="button button-primary"
          href={signInUrl(issuer)}
          {...(again && { target: '_blank', rel: 'noopener' })}
        >
          Sign in with {name}
        </a>
      ))}
      {again && providers.length > 0 && (
        <p className="faint">In another tab; it goes on here when you have signed in there.</p>
      )}
      {providers.length > 0 && <p className="or">or</p>}
      <KeyForm primary={providers.length === 0} />
    </div>
  );
}

/** What no header carries: a letter with an accent, an ellipsis where a key was shortened. */
const NOT_OF_A_KEY = /[^\x21-\x7e]/;
const NO_KEY = new ApiProblem(
  400,
  'INVALID_PARAMS',
  'This is no key or token: it has a character that none has, such as … where it was shortened. Copy it whole.',
);

function KeyForm({ primary }: { readonly primary: boolean }) {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      if (NOT_OF_A_KEY.test(key.trim())) throw NO_KEY;
      await signInWithKey(key.trim());
      await queries.invalidateQueries();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field
        label="API key or access token"
        hint="Kept in the memory of this page alone: it is gone when the page is closed or loaded again."
      >
        <input
          className="input"
          type="password"
          autoComplete="off"
          value={key}
          onChange={(event) => setKey(event.target.value)}
          required
        />
      </Field>
      {error !== null && <ErrorView error={error} />}
      <Button
        type="submit"
        kind={primary ? 'primary' : 'plain'}
        busy={busy}
        disabled={key.trim() === ''}
        icon={<Icon name="access" />}
      >
        Sign in
      </Button>
    </form>
  );
}
