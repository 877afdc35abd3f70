import { Badge, type Tone } from './badge';

const HEALTH_TONES: Readonly<Record<string, Tone>> = {
  healthy: 'good',
  failing: 'warning',
  recovering: 'info',
  degraded: 'warning',
  down: 'bad',
  unknown: 'neutral',
};

const HEALTH_MEANINGS: Readonly<Record<string, string>> = {
  healthy: 'Its calls are answered.',
  failing: 'Half or more of its last calls failed, yet it is not down: it still gets work.',
  recovering:
    'Its last tasks were all completed. Agents of equal priority come before it until fewer of its last ones failed.',
  degraded: 'Some calls fail, or most of its tasks do: agents of equal priority come before it.',
  down: 'It does not answer and gets no work but a single try now and then.',
  unknown: 'It has not been called since this process of the hub began.',
};

/** The verdict on an agent, or the health it had at some time. */
export function HealthBadge({ health }: { readonly health: string }) {
  return (
    <Badge tone={HEALTH_TONES[health] ?? 'neutral'} title={HEALTH_MEANINGS[health]}>
      {health === 'failing' ? 'failing calls' : health}
    </Badge>
  );
}

/** The circuit breaker of an agent, where it is not closed. */
export function BreakerBadge({ breaker }: { readonly breaker: string }) {
  if (breaker === 'closed') return null;
  return breaker === 'open' ? (
    <Badge tone="bad" title="The agent gets no work for a while.">
      breaker open
    </Badge>
  ) : (
    <Badge tone="warning" title="One message or health check decides whether it gets work again.">
      breaker half-open
    </Badge>
  );
}
