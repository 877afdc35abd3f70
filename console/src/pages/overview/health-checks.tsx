import type { Schema } from '../../api/client';
import { Badge, type Tone } from '../../ui/badge';
import { Card } from '../../ui/page';
import { PageLink } from '../../ui/page-link';

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', warning: 'warning', failing: 'bad' };

/** What the hub checks of itself, and what to do about what is not as it should be. */
export function HealthChecks({ health }: { readonly health: Schema<'HealthDetailsDto'> }) {
  return (
    <Card title="Checks of the hub" flush>
      <ul className="overview-checks">
        {health.checks.map(({ name, state, summary, advice, troubles }) => (
          <li key={name}>
            <div className="overview-check-name">
              <Badge tone={TONES[state] ?? 'neutral'}>{state}</Badge>
              <strong>{name.charAt(0).toUpperCase() + name.slice(1)}</strong>
            </div>
            <div>
              {summary}
              {troubles.length > 0 && (
                <ul className="overview-troubles">
                  {troubles.map(({ id, why }) => (
                    <li key={id}>
                      {name === 'tasks' ? (
                        <PageLink to={`/tasks/${id}`}>{id}</PageLink>
                      ) : (
                        <strong>{id}</strong>
                      )}{' '}
                      {why}
                    </li>
                  ))}
                </ul>
              )}
              {advice && (
                <p className="overview-why">
                  <strong>What to do:</strong> {advice}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
