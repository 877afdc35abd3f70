import { Badge, type Tone } from './badge';

const HEALTH_TONES: Readonly<Record<string, Tone>> = {
  healthy: 'good',
  degraded: 'warning',
  down: 'bad',
  unknown: 'neutral',
};

const HEALTH_MEANINGS: Readonly<Record<string, string>> = {
  healthy: 'Its calls are answered.',
  degraded: 'Some calls fail, or most of its tasks do: agents of equal priority come before it.',
  down: 'It does not answer and gets no work but a single try now and then.',
  unknown: 'It has not been called yet.',
};

export function HealthBadge({ health }: { readonly health: string }) {
  return (
    <Badge tone={HEALTH_TONES[health] ?? 'neutral'} title={HEALTH_MEANINGS[health]}>
      {health}
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
