import { getRouteApi } from '@tanstack/react-router';
import { type AgentCondition, useAgentConditions, verdictOf } from '../../api/agent-conditions';
import { api, type Schema } from '../../api/client';
import { useMay } from '../../api/me';
import { every } from '../../api/pace';
import { BreakerBadge, HealthBadge } from '../../ui/agent-badges';
import { Badge } from '../../ui/badge';
import { Button } from '../../ui/button';
import { asProblem } from '../../api/problem';
import { Empty, Loaded } from '../../ui/feedback';
import { Icon } from '../../ui/icons';
import { Menu } from '../../ui/menu';
import { Card, Page } from '../../ui/page';
import { PageLink } from '../../ui/page-link';
import { Tabs } from '../../ui/tabs';
import { useAgentActions } from './actions/agent-actions';
import { ActivityTab } from './activity/activity-tab';
import { AgentNotices } from './agent-notices';
import './agents.css';
import { skillsOf } from './card/agent-card';
import { CardTab } from './card/card-tab';
import { SkillList } from './card/skill-list';
import { CredentialsTab } from './credentials/credentials-tab';
import { OverviewTab } from './overview-tab';
import { SettingsTab } from './settings/settings-tab';

const REFRESH_MS = 5_000;

const route = getRouteApi('/agents/$agentId');

export function AgentPage() {
  const { agentId } = route.useParams();
  const { conditions } = useAgentConditions(true);
  const agent = api.useQuery(
    'get',
    '/api/v1/agents/{id}',
    { params: { path: { id: agentId } } },
    { refetchInterval: every(REFRESH_MS) },
  );
  if (agent.data && asProblem(agent.error).status === 404) {
    return (
      <Page title={agentId} lead={<PageLink to="/agents">All agents</PageLink>}>
        <Empty title="There is no such agent any more">
          <p>
            <code>{agentId}</code> was deleted, or is not one that you may see any more.
          </p>
        </Empty>
      </Page>
    );
  }
  return agent.data ? (
    <AgentView
      key={agentId}
      agent={agent.data}
      condition={conditions.get(agentId)}
      error={agent.error}
    />
  ) : (
    <Page title={agentId} lead={<PageLink to="/agents">All agents</PageLink>}>
      <Loaded query={agent}>{() => null}</Loaded>
    </Page>
  );
}

function AgentView({
  agent,
  condition,
  error,
}: {
  readonly agent: Schema<'AgentDto'>;
  readonly condition: AgentCondition | undefined;
  readonly error: unknown;
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayAsk = useMay('a2a');
  const actions = useAgentActions(() =>
    // Settings of it that were not saved are gone with it.
    navigate({ to: '/agents', ignoreBlocker: true }),
  );
  const health = verdictOf(agent.health, condition);
  const breaker = condition?.breaker ?? agent.health.breaker;
  const skills = skillsOf(agent.card);
  const tabs = [
    { id: 'overview', label: 'Overview', content: <OverviewTab agent={agent} /> },
    { id: 'card', label: 'Card', content: <CardTab agent={agent} /> },
    {
      id: 'skills',
      label: `Skills (${skills.length})`,
      content: (
        <Card>
          <SkillList skills={skills} />
        </Card>
      ),
    },
    { id: 'settings', label: 'Settings', content: <SettingsTab agent={agent} /> },
    { id: 'credentials', label: 'Credentials', content: <CredentialsTab agent={agent} /> },
    { id: 'activity', label: 'Activity', content: <ActivityTab agentId={agent.id} /> },
  ];
  return (
    <Page
      title={agent.name}
      lead={
        <span className="agents-badges">
          <code>{agent.id}</code>
          {agent.enabled ? <HealthBadge health={health} /> : <Badge tone="neutral">disabled</Badge>}
          <BreakerBadge breaker={breaker} />
          {agent.source === 'config' && <Badge>declared in the configuration</Badge>}
        </span>
      }
      actions={
        <>
          {mayAsk && agent.enabled && (
            <PageLink to="/playground" search={{ agent: agent.id }} className="button button-plain">
              <Icon name="playground" /> Try it
            </PageLink>
          )}
          <Button
            icon={<Icon name="refresh" />}
            busy={actions.refreshing === agent.id}
            onClick={() => void actions.refresh(agent)}
          >
            Read the card again
          </Button>
          {agent.enabled ? (
            <Button onClick={() => actions.drain(agent)}>Drain</Button>
          ) : (
            <Button kind="primary" onClick={() => void actions.enable(agent)}>
              Enable
            </Button>
          )}
          <Button kind="danger" onClick={() => actions.kill(agent)}>
            Kill
          </Button>
          <Menu items={actions.itemsOf(agent).slice(-1)} />
        </>
      }
    >
      <AgentNotices agent={agent} cannotBeRead={error} />
      <Tabs
        label={`Parts of ${agent.name}`}
        tabs={tabs}
        value={search.tab ?? 'overview'}
        onChange={(tab) => void navigate({ search: { ...search, tab }, replace: true })}
      />
      {actions.dialogs}
    </Page>
  );
}
