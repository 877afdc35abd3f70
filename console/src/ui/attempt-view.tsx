import type { Schema } from '../api/client';
import { Badge } from './badge';
import { durationText, Time } from './time';

/** One attempt: when, how long, and what came back. */
export function AttemptView({ attempt }: { readonly attempt: Schema<'DeliveryAttemptDto'> }) {
  const { number, at, durationMs, status, error, response } = attempt;
  return (
    <div className="attempt">
      <p>
        <strong>{number}.</strong>{' '}
        <Badge tone={error === null ? 'good' : 'bad'}>
          {status === null ? 'no answer' : `HTTP ${status}`}
        </Badge>{' '}
        {error !== null && error !== 'status' && <span>{error} </span>}
        <span className="faint">
          <Time at={at} />, took {durationText(durationMs)}
        </span>
      </p>
      {response && <pre aria-label={`Answer to attempt ${number}`}>{response}</pre>}
    </div>
  );
}

/** The attempts to deliver one update, as far as they are kept. */
export function AttemptList({
  attempts,
}: {
  readonly attempts: readonly Schema<'DeliveryAttemptDto'>[];
}) {
  return attempts.length === 0 ? (
    <p className="faint">None was made, or they are older than attempts are kept.</p>
  ) : (
    <ol className="attempts">
      {attempts.map((attempt) => (
        <li key={`${attempt.number} ${attempt.at}`}>
          <AttemptView attempt={attempt} />
        </li>
      ))}
    </ol>
  );
}
