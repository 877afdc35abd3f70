import type { ReactNode } from 'react';
import { asProblem } from '../api/problem';
import { Button } from './button';

export function Loading({ what = 'Loading …' }: { readonly what?: string }) {
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden="true" /> {what}
    </p>
  );
}

/** Nothing is there: why, and what to do. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** What went wrong, in the hub's words, and how the request is found in its log. */
export function ErrorView({
  error,
  onRetry,
  children,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** What can be done about it. */
  readonly children?: ReactNode;
}) {
  const problem = asProblem(error);
  const { message, violations } = problem;
  const listed = problem.isNotSent ? [] : violations;
  // What the hub says of several fields is a sentence of each.
  const isSaid =
    listed.length > 0 && listed.every(({ description }) => message.includes(description));
  return (
    <div className="notice notice-bad" role="alert">
      <p>
        <strong>
          {problem.isUnreachable ? 'No connection' : problem.reason.replaceAll('_', ' ')}
        </strong>{' '}
        {!isSaid && message}
      </p>
      {listed.length > 0 && (
        <ul>
          {listed.map(({ field, description }) => (
            <li key={field + description}>
              <code>{field}</code> {description}
            </li>
          ))}
        </ul>
      )}
      {problem.requestId && <p className="faint">Request {problem.requestId}</p>}
      {onRetry && (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      )}
      {children}
    </div>
  );
}

export function Notice({
  tone,
  children,
}: {
  readonly tone: 'info' | 'warning' | 'good' | 'bad';
  readonly children: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** What a query has read so far. */
export interface Read<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/**
 * What a query gives: loading, the error, or the content. Old content stays while it cannot be read again, and says so; that the hub
 * cannot be reached says the page around all (`api/connection.ts`), and reading goes on.
 */
export function Loaded<T>({
  query,
  children,
}: {
  readonly query: Read<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const retry = () => void query.refetch();
  const { error } = query;
  if (query.data === undefined) {
    return error ? <ErrorView error={error} onRetry={retry} /> : <Loading />;
  }
  return (
    <>
      {error ? <ErrorView error={error} onRetry={retry} /> : null}
      {children(query.data)}
    </>
  );
}
