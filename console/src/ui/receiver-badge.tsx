import type { Schema } from '../api/client';
import { Badge, type Tone } from './badge';

type Receiver = Pick<Schema<'EndpointDto'>, 'state' | 'rejects'>;

const TONES: Readonly<Record<Receiver['state'], Tone>> = {
  healthy: 'good',
  untried: 'neutral',
  failing: 'warning',
  disabled: 'bad',
};

const MEANINGS: Readonly<Record<Receiver['state'], string>> = {
  healthy: 'It accepted the last attempt.',
  untried: 'Nothing was sent there yet.',
  failing: 'It did not accept the last attempt, or a delivery to it was given up.',
  disabled: 'Nothing but failures for too long: its webhooks are disabled.',
};

/** What the hub says of a receiver: the same words wherever it is shown. */
export function ReceiverBadge({ state, rejects }: Receiver) {
  const words = rejects ? 'rejects events' : state === 'untried' ? 'no attempts yet' : state;
  return (
    <Badge
      tone={TONES[state]}
      title={rejects ? 'It answers, but did not accept the last event.' : MEANINGS[state]}
    >
      {words}
    </Badge>
  );
}
