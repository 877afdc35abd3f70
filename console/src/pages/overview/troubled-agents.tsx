import { type AgentCondition, isTroubled, verdictOf } from '../../api/agent-conditions';
import { api } from '../../api/client';
import { BreakerBadge, HealthBadge } from '../../ui/agent-badges';
import { Card } from '../../ui/page';
import { PageLink } from '../../ui/page-link';
import { Time } from '../../ui/time';

const SHOWN = 8;
const REFRESH_MS = 10_000;
const RANK = { down: 0, degraded: 1, unknown: 2, healthy: 3 };

/** Agents that are down or degraded, or get no work, each with its last error. */
export function TroubledAgents({
  conditions,
}: {
  readonly conditions: ReadonlyMap<string, AgentCondition>;
}) {
  const troubled = [...conditions.values()]
    .filter(isTroubled)
    .sort((a, b) => RANK[a.health] - RANK[b.health] || a.agentId.localeCompare(b.agentId));
  if (troubled.length === 0) return null;
  return (
    <Card title="Agents in trouble">
      <ul className="overview-list">
        {troubled.slice(0, SHOWN).map((each) => (
          <TroubledAgent key={each.agentId} condition={each} />
        ))}
      </ul>
      {troubled.length > SHOWN && (
        <PageLink to="/agents" search={{ health: 'troubled' }}>
          {troubled.length - SHOWN} more
        </PageLink>
      )}
    </Card>
  );
}

function TroubledAgent({ condition }: { readonly condition: AgentCondition }) {
  const { agentId, health, breaker } = condition;
  const { data } = api.useQuery(
    'get',
    '/api/v1/agents/{id}',
    { params: { path: { id: agentId } } },
    { refetchInterval: REFRESH_MS },
  );
  const why = data?.health.lastError ?? data?.health.lastTaskError;
  return (
    <li>
      <div className="overview-line">
        <PageLink to={`/agents/${agentId}`}>{data?.name ?? agentId}</PageLink>
        <HealthBadge health={data ? verdictOf(data.health, condition) : health} />
        <BreakerBadge breaker={breaker} />
        {data?.health.since && (
          <span className="faint">
            since <Time at={data.health.since} />
          </span>
        )}
      </div>
      {why && <p className="overview-why">{why}</p>}
    </li>
  );
}
