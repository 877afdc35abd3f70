import { getRouteApi } from '@tanstack/react-router';
import { useAgentConditions, verdictOf } from '../../api/agent-conditions';
import { client, type Schema } from '../../api/client';
import { PAGE_ROWS, usePages } from '../../api/pages';
import { Empty } from '../../ui/feedback';
import { Icon } from '../../ui/icons';
import { Card, Page } from '../../ui/page';
import { PageLink } from '../../ui/page-link';
import { NoAgentYet } from '../../ui/no-agent-yet';
import { PagedTable } from '../../ui/paged-table';
import { useAgentActions } from './actions/agent-actions';
import { agentColumns } from './agent-columns';
import { AgentFilters } from './agent-filters';
import './agents.css';
import { present } from '../../ui/search';
import { agentsSearchOf } from './search';

const route = getRouteApi('/agents');

export function AgentsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { conditions, live } = useAgentConditions(true);
  const actions = useAgentActions();
  const pages = usePages(['agents', search], (cursor, signal) =>
    client.GET('/api/v1/agents', {
      params: { query: { ...search, limit: PAGE_ROWS, ...(cursor && { cursor }) } },
      signal,
    }),
  );
  const agents = pages.data?.map((agent) => withCondition(agent, conditions));
  const isNarrowed = Object.keys(present(search)).length > 0;
  return (
    <Page
      title="Agents"
      lead={
        live === 'lost'
          ? 'The connection to the hub was lost. Trying again …'
          : 'Who the hub sends messages to, and how they are.'
      }
      actions={
        <PageLink to="/agents/new" className="button button-primary">
          <Icon name="plus" /> Register an agent
        </PageLink>
      }
    >
      <AgentFilters
        search={search}
        onSet={(part) =>
          void navigate({ search: (now) => agentsSearchOf({ ...now, ...part }), replace: true })
        }
        onClear={() => void navigate({ search: {}, replace: true })}
      />
      <Card flush>
        <PagedTable
          label="Agents"
          columns={agentColumns(actions)}
          pages={{ ...pages, data: agents, rows: agents ?? [] }}
          rowId={({ id }) => id}
          empty={isNarrowed ? <NoneFound /> : <NoAgentYet />}
        />
      </Card>
      {actions.dialogs}
    </Page>
  );
}

function withCondition(
  agent: Schema<'ListedAgentDto'>,
  conditions: ReturnType<typeof useAgentConditions>['conditions'],
): Schema<'ListedAgentDto'> {
  const condition = conditions.get(agent.id);
  if (condition === undefined) return agent;
  const { health, breaker } = condition;
  const verdict = verdictOf(agent.health, condition);
  return { ...agent, health: { ...agent.health, state: health, breaker, verdict } };
}

function NoneFound() {
  return (
    <Empty title="No agent is like that">
      <PageLink to="/agents">Show all agents</PageLink>
    </Empty>
  );
}
