import type { Schema } from '../../../api/client';
import { Badge } from '../../../ui/badge';
import { durationText, Time } from '../../../ui/time';

/** One attempt: when, how long, and what came back. */
export function AttemptView({ attempt }: { readonly attempt: Schema<'DeliveryAttemptDto'> }) {
  const { number, at, durationMs, status, error, response } = attempt;
  return (
    <div className="webhooks-attempt">
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
