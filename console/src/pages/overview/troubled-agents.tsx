import type { Schema } from '../../api/client';
import { BreakerBadge, HealthBadge } from '../../ui/agent-badges';
import { Card } from '../../ui/page';
import { PageLink } from '../../ui/page-link';
import { Time } from '../../ui/time';

/** Agents that somebody should look at, each with what is wrong. */
export function TroubledAgents({ agents }: { readonly agents: Schema<'OverviewAgentsDto'> }) {
  const { inTrouble, troubled } = agents;
  if (inTrouble === 0) return null;
  return (
    <Card title="Agents in trouble">
      <ul className="overview-list">
        {troubled.map(({ agentId, name, verdict, breaker, since, why }) => (
          <li key={agentId}>
            <div className="overview-line">
              <PageLink to={`/agents/${agentId}`}>{name}</PageLink>
              <HealthBadge health={verdict} />
              <BreakerBadge breaker={breaker} />
              {since !== null && (
                <span className="faint">
                  since <Time at={since} />
                </span>
              )}
            </div>
            <p className="overview-why">{why}</p>
          </li>
        ))}
      </ul>
      {inTrouble > troubled.length && (
        <PageLink to="/agents" search={{ health: 'troubled' }}>
          {inTrouble - troubled.length} more
        </PageLink>
      )}
    </Card>
  );
}
