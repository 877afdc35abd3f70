import type { Schema } from '../api/client';
import { Badge, toneOfState } from './badge';

type Receiver = Pick<Schema<'EndpointDto'>, 'state' | 'rejects' | 'gone'>;

const MEANINGS: Readonly<Record<Receiver['state'], string>> = {
  healthy: 'It accepted the last attempt.',
  untried: 'Nothing was sent there yet.',
  failing: 'It did not accept the last attempt, or a delivery to it was given up.',
  disabled: 'Nothing but failures for too long: its webhooks are disabled.',
};

/** What the hub says of a receiver: the same words wherever it is shown. */
export function ReceiverBadge(receiver: Receiver) {
  const [words, meaning] = saidOf(receiver);
  return (
    <Badge tone={toneOfState(receiver.state)} title={meaning}>
      {words}
    </Badge>
  );
}

function saidOf({ state, rejects, gone }: Receiver): readonly [string, string] {
  if (gone) {
    return [
      'webhook gone',
      'It answered 410: the webhook that it no longer wants is disabled, and nothing is sent for it.',
    ];
  }
  if (rejects) return ['rejects events', 'It answers, but did not accept the last event.'];
  return [state === 'untried' ? 'no attempts yet' : state, MEANINGS[state]];
}
