import type { Schema } from '../../api/client';
import { BreakerBadge, HealthBadge } from '../../ui/agent-badges';
import { Badge } from '../../ui/badge';
import type { Column } from '../../ui/data-table';
import { counted } from '../../ui/lists';
import { Menu } from '../../ui/menu';
import { PageLink } from '../../ui/page-link';
import { durationText } from '../../ui/time';
import type { AgentActions } from './actions/agent-actions';
import { skillsOf } from './card/agent-card';

type Agent = Schema<'ListedAgentDto'>;

const HEALTH_RANK = { down: 0, failing: 1, degraded: 2, recovering: 3, unknown: 4, healthy: 5 };

export function agentColumns(actions: AgentActions): readonly Column<Agent>[] {
  return [
    {
      id: 'agent',
      header: 'Agent',
      share: 2.4,
      sortBy: ({ name }) => name.toLowerCase(),
      cell: ({ id, name, tags, endpointNow: { protocolBinding, protocolVersion } }) => (
        <>
          <PageLink to={`/agents/${id}`} className="agents-name clamped" title={name}>
            {name}
          </PageLink>
          <span className="agents-sub">
            {[id, ...tags.map((tag) => `#${tag}`)].join(' ')} · {protocolBinding} {protocolVersion}
          </span>
        </>
      ),
    },
    {
      id: 'health',
      header: 'Health',
      share: 1,
      sortBy: ({ health }) => HEALTH_RANK[health.verdict],
      cell: ({ enabled, health, cardTrouble, lastHour: { calls, errors } }) => (
        <span className="agents-badges">
          {enabled ? <HealthBadge health={health.verdict} /> : <Badge>disabled</Badge>}
          <BreakerBadge breaker={health.breaker} />
          {cardTrouble && (
            <Badge tone="warning" title={cardTrouble.reason}>
              card {cardTrouble.kind}
            </Badge>
          )}
          {errors > 0 && (
            <span className="agents-sub">
              {errors.toLocaleString('en')} of {counted(calls, 'call')} failed, 1 h
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'skills',
      header: 'Skills',
      minor: true,
      share: 0.55,
      align: 'end',
      sortBy: ({ card }) => skillsOf(card).length,
      cell: ({ card }) => skillsOf(card).length,
    },
    {
      id: 'work',
      header: 'At work',
      minor: true,
      share: 0.7,
      align: 'end',
      sortBy: ({ health }) => health.outstanding,
      cell: ({ health: { outstanding, queued, isFull } }) => (
        <>
          {outstanding}
          {queued > 0 && <span className="agents-sub">{queued} queued</span>}
          {isFull && <span className="agents-sub">full</span>}
        </>
      ),
    },
    {
      id: 'calls',
      header: 'Calls, 1 h',
      minor: true,
      share: 0.7,
      align: 'end',
      sortBy: ({ lastHour }) => lastHour.calls,
      cell: ({ lastHour }) => lastHour.calls.toLocaleString('en'),
    },
    {
      id: 'errors',
      header: 'Errors, 1 h',
      minor: true,
      share: 0.75,
      align: 'end',
      sortBy: ({ lastHour }) => lastHour.errors,
      cell: ({ lastHour: { errors } }) =>
        errors === 0 ? (
          <span className="faint">0</span>
        ) : (
          <Badge tone="bad">{errors.toLocaleString('en')}</Badge>
        ),
    },
    {
      id: 'failed',
      header: 'Failed work, 1 h',
      minor: true,
      share: 0.6,
      align: 'end',
      sortBy: ({ lastHour }) => lastHour.failed,
      cell: ({ id, lastHour: { failed, completed } }) =>
        failed === 0 ? (
          <span className="faint">0</span>
        ) : (
          <PageLink
            to={`/agents/${id}`}
            search={{ tab: 'activity' }}
            aria-label={`${failed} of ${failed + completed} tasks, or parts of one, failed: activity of ${id}`}
          >
            <Badge tone={failed > completed ? 'bad' : 'warning'}>
              {failed.toLocaleString('en')} of {(failed + completed).toLocaleString('en')}
            </Badge>
          </PageLink>
        ),
    },
    {
      id: 'latency',
      header: 'Answers in',
      share: 0.8,
      align: 'end',
      minor: true,
      sortBy: ({ health }) => health.latencyMs ?? -1,
      cell: ({ health: { latencyMs } }) =>
        latencyMs === null ? <span className="faint">–</span> : durationText(latencyMs),
    },
    {
      id: 'for',
      header: 'For',
      share: 0.8,
      minor: true,
      cell: ({ organizations }) =>
        organizations === null ? <span className="faint">all</span> : organizations.join(', '),
    },
    {
      id: 'error',
      header: 'Last error',
      share: 1.9,
      minor: true,
      cell: ({ health: { lastError, lastTaskError } }) =>
        lastError || lastTaskError ? (
          <span className="agents-error" title={lastError ?? lastTaskError ?? ''}>
            {lastError ?? lastTaskError}
          </span>
        ) : (
          <span className="faint">none</span>
        ),
    },
    {
      id: 'actions',
      header: 'Actions',
      share: 0.55,
      align: 'end',
      cell: (agent) => <Menu label={`Actions of ${agent.id}`} items={actions.itemsOf(agent)} />,
    },
  ];
}
