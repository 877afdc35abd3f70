import type { Schema } from '../../api/client';
import { ACCESS_TABS } from '../../api/page-scopes';
import { useMay } from '../../api/me';
import { hubUrl } from '../../api/place';
import { PageLink } from '../../ui/page-link';
import { Id } from '../../ui/copy';
import { Card, Facts } from '../../ui/page';
import { durationText, Time } from '../../ui/time';
import { AgentHistory } from './activity/agent-history';

/** How an agent is, over time and now. */
export function OverviewTab({ agent }: { readonly agent: Schema<'AgentDto'> }) {
  const { health, endpointNow } = agent;
  const mayWho = useMay(...ACCESS_TABS['who-may'].scopes);
  return (
    <div className="agents-stack">
      <AgentHistory agent={agent} />
      <div className="columns">
        <Card title="Now">
          <Facts
            facts={{
              'At work': health.outstanding,
              Queued: `${health.queued}${health.isFull ? ', and full: it gets no new task' : ''}`,
              'Answers in': answersIn(health),
              'Of the last tasks that it ended':
                health.taskFailureRate === null
                  ? null
                  : `${Math.round(health.taskFailureRate * 100)} % failed by its own fault`,
              'Last answer, to a call or a health check': <Time at={health.lastOkAt} />,
              'Why a task failed last': health.lastTaskError,
            }}
          />
        </Card>
        <Card title="Agent">
          <Facts
            facts={{
              Description: agent.description,
              'Called at': <code>{endpointNow.url}</code>,
              'Clients ask for it alone at': <Id value={hubUrl(`a2a/agents/${agent.id}`).href} />,
              Over: `${endpointNow.protocolBinding}, A2A ${endpointNow.protocolVersion}`,
              For: (
                <>
                  {agent.organizations === null
                    ? 'everybody, unless a policy says otherwise'
                    : `${agent.organizations.join(', ')}, unless a policy says otherwise`}
                  {mayWho && (
                    <>
                      {': '}
                      <PageLink
                        to="/access"
                        search={{ tab: 'who-may', by: 'agent', agent: agent.id }}
                      >
                        who may call it
                      </PageLink>
                    </>
                  )}
                </>
              ),
              Tags: agent.tags.length === 0 ? null : agent.tags.join(', '),
              'Priority, weight': `${agent.priority}, ${agent.weight}`,
              Registered: <Time at={agent.createdAt} />,
              Changed: <Time at={agent.updatedAt} />,
            }}
          />
        </Card>
        {agent.deviations.length > 0 && (
          <Card title="Deviations from A2A that the hub tolerates">
            <ul className="agents-interfaces">
              {agent.deviations.map(({ kind, what, since }) => (
                <li key={kind}>
                  {what}{' '}
                  <span className="faint">
                    since <Time at={since} />
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        )}
      </div>
    </div>
  );
}

/** How long its calls take to the first answer; those that got none took no time that counts. */
function answersIn({ latencyMs, verdict }: Schema<'AgentHealthDto'>): string {
  if (latencyMs === null) return 'not known yet';
  const time = durationText(latencyMs);
  return verdict === 'failing' || verdict === 'down'
    ? `its last calls failed; before, ${time}`
    : time;
}
