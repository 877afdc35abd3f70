import type { Schema } from '../../api/client';
import { Badge, type Tone } from '../../ui/badge';
import { Card } from '../../ui/page';
import { type PageAddress, PageLink } from '../../ui/page-link';

type Check = Schema<'HealthCheckDto'>;

const TONES: Readonly<Record<string, Tone>> = { ok: 'good', warning: 'warning', failing: 'bad' };

/** What the hub checks of itself, and what to do about what is not as it should be. */
export function HealthChecks({ health }: { readonly health: Schema<'HealthDetailsDto'> }) {
  return (
    <Card title="Checks of the hub" flush>
      <ul className="overview-checks">
        {health.checks.map((check) => (
          <li key={check.name}>
            <div className="overview-check-name">
              <Badge tone={TONES[check.state] ?? 'neutral'}>{check.state}</Badge>
              <strong>{check.name.charAt(0).toUpperCase() + check.name.slice(1)}</strong>
            </div>
            <div>
              {check.summary}
              {check.troubles.length > 0 && (
                <ul className="overview-troubles">
                  {check.troubles.map(({ id, why }) => (
                    <li key={id}>
                      <TroubleName of={check.name} id={id} /> {why}
                    </li>
                  ))}
                </ul>
              )}
              {check.advice && (
                <p className="overview-why">
                  <strong>What to do:</strong> <Advice check={check} advice={check.advice} />
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** What is in trouble, leading to its page where it has one. */
function TroubleName({ of, id }: { readonly of: Check['name']; readonly id: string }) {
  const link = pageOf(of, id);
  return link ? <PageLink {...link}>{id}</PageLink> : <strong>{id}</strong>;
}

function pageOf(check: Check['name'], id: string): PageAddress | undefined {
  switch (check) {
    case 'tasks':
      return { to: `/tasks/${id}` };
    case 'agents':
      return { to: `/agents/${id}` };
    case 'receivers':
      return { to: '/webhooks', search: { tab: 'receivers', id } };
    default:
      return undefined;
  }
}

/** What the hub advises, which names calls of its API; of what has a page here, that page in place of them. */
function Advice({ check, advice }: { readonly check: Check; readonly advice: string }) {
  switch (check.name) {
    case 'tasks':
      return (
        <>
          The page of a task says what it waits for; cancel it there, and retry it after that. All
          of them:{' '}
          <PageLink to="/tasks" search={{ stuck: 'true' }}>
            stuck tasks
          </PageLink>
          .
        </>
      );
    case 'agents':
      return check.troubles.length === 0 ? (
        <>
          <PageLink to="/agents/new">Register an agent</PageLink>, or declare one (agents.declared).
        </>
      ) : (
        <>
          The page of an agent shows its health and its card, which can be read again there. All of
          them:{' '}
          <PageLink to="/agents" search={{ health: 'troubled' }}>
            agents in trouble
          </PageLink>
          .
        </>
      );
    case 'receivers':
      return (
        <>
          Each of the{' '}
          <PageLink to="/webhooks" search={{ tab: 'receivers' }}>
            receivers
          </PageLink>{' '}
          shows its last error; once it answers, “Bring it back” sends again what it lost.
        </>
      );
    default:
      return advice;
  }
}
