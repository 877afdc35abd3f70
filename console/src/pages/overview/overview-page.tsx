import { api, type Schema } from '../../api/client';
import { useConnectionLost } from '../../api/connection';
import { useMay } from '../../api/me';
import { useMayOpen } from '../../api/page-scopes';
import { useSessionEnded } from '../../api/session-end';
import { every } from '../../api/pace';
import { Empty, Loaded } from '../../ui/feedback';
import { NoAgentYet } from '../../ui/no-agent-yet';
import { Card, Page } from '../../ui/page';
import { Time } from '../../ui/time';
import { ActivityCharts } from './activity-charts';
import { concernsOf, whatIsWell } from './concerns';
import { LongestQueues, TaskFailures } from './failures';
import { HealthChecks } from './health-checks';
import { NearLimits } from './near-limits';
import './overview.css';
import { OverviewTiles } from './overview-tiles';
import { TroubledAgents } from './troubled-agents';
import { TroubledReceivers } from './troubled-receivers';
import { Verdict } from './verdict';

const REFRESH_MS = 5_000;
const CHECKS_MS = 15_000;

export function OverviewPage() {
  const seesSomething = useMayOpen('/');
  const overview = api.useQuery(
    'get',
    '/api/v1/overview',
    {},
    { refetchInterval: every(REFRESH_MS), enabled: seesSomething },
  );
  if (!seesSomething) {
    return (
      <Page title="Overview">
        <Empty title="What you signed in with sees no numbers of the hub">
          The pages on the left are those that it can use.
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title="Overview"
      lead={
        overview.data && (
          <>
            As of <Time at={overview.data.at} />
          </>
        )
      }
    >
      <Loaded query={overview}>{(data) => <Numbers overview={data} />}</Loaded>
    </Page>
  );
}

function Numbers({ overview }: { readonly overview: Schema<'OverviewDto'> }) {
  const isAdmin = useMay('admin');
  const { agents, tasks, receivers, limits } = overview;
  const health = api.useQuery(
    'get',
    '/health/details',
    {},
    { refetchInterval: every(CHECKS_MS), enabled: isAdmin },
  );
  const hasNoAgent = agents !== null && agents.enabled + agents.disabled === 0;
  const concerns = concernsOf(overview, health.data);
  const [isLost, isOver] = [useConnectionLost(), useSessionEnded()];
  return (
    <>
      {hasNoAgent && (
        <Card>
          <NoAgentYet />
        </Card>
      )}
      {!(hasNoAgent && concerns.length === 0) && (
        <Verdict
          concerns={concerns}
          well={whatIsWell(overview, health.data)}
          isOld={isLost || isOver}
        />
      )}
      {!hasNoAgent && (
        <>
          <OverviewTiles overview={overview} />
          <div className="columns overview-troubled">
            {agents && <TroubledAgents agents={agents} />}
            {receivers && (
              <TroubledReceivers receivers={receivers} isLeast={overview.receiversIsLeast} />
            )}
            {limits && <NearLimits limits={limits} />}
            {tasks && <TaskFailures errors={tasks.errors} />}
            {tasks && <LongestQueues queues={tasks.queues} />}
          </div>
          <ActivityCharts overview={overview} />
        </>
      )}
      {isAdmin && <Loaded query={health}>{(data) => <HealthChecks health={data} />}</Loaded>}
    </>
  );
}
