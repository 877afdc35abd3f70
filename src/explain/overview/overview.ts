import { Injectable } from '@nestjs/common';
import {
  administers,
  type Agent,
  AgentHours,
  AgentMonitor,
  AgentRegistry,
  type FailingAgent,
  organizationOfAgents,
  UnreadAgents,
} from '../../agents/index.js';
import { PrincipalNames } from '../../audit/index.js';
import { hasScope, type Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { SharedReading } from '../../common/shared-reading.js';
import { mapInSlices } from '../../common/slices.js';
import { WorkerWatch } from '../../database/worker-watch.js';
import { type ActivityKind, MINUTE_MS } from '../../observability/activity/activity.js';
import {
  type ActivityPoint,
  type ActivitySpan,
  ActivityStore,
} from '../../observability/activity/activity-store.js';
import { meanMs, seriesOf, shareMs, sumsOf } from '../../observability/activity/series.js';
import { DeliveryService } from '../../push/index.js';
import { NearLimits, operatorsView, StuckTasks, WorkLoad } from '../../tasks/index.js';
import {
  NearLimitDto,
  OpenTasksDto,
  OverviewAgentsDto,
  OverviewCallsDto,
  OverviewDeliveriesDto,
  OverviewDto,
  type OverviewRange,
  OverviewTasksDto,
  StuckTasksDto,
  TroubledAgentDto,
  TroubledReceiverDto,
} from './overview.dto.js';
import { byUrgency, type TroubledAgent, troubledAgent } from '../health/troubled-agents.js';
import { type ReceiversInTrouble, TroubledReceivers } from '../health/troubled-receivers.js';

/** Of what is counted by the minute and by the quarter of an hour, how much a range has. */
const BUCKETS: Readonly<
  Record<OverviewRange, { readonly span: ActivitySpan; readonly count: number }>
> = {
  '1h': { span: 1, count: 60 },
  '6h': { span: 15, count: 24 },
  '24h': { span: 15, count: 96 },
};

/** When the minutes or quarters of a range began, the present one included, oldest first. */
interface Buckets {
  readonly span: ActivitySpan;
  readonly at: readonly number[];
}

/** Of receivers, limits and reasons. */
const SHOWN = 10;
/** Deliveries of a state that are counted. */
const MOST_DELIVERIES = 10_000;
/** Kinds of callers whose readings are kept. */
const KEPT = 500;
/** How old a reading may be. */
const FRESH_MS = 2000;
/** What does not change in seconds, and costs more. */
const SLOW_FRESH_MS = 5000;

/**
 * How the whole hub stands, as far as a caller may see it. What callers with the same rights see is read once for all of
 * them, every two seconds at most.
 */
@Injectable()
export class Overview {
  private readonly agents: SharedReading<OverviewAgentsDto>;
  private readonly failing: SharedReading<readonly FailingAgent[]>;
  private readonly tasks: SharedReading<OverviewTasksDto>;
  private readonly stuck: SharedReading<StuckTasksDto>;
  private readonly calls: SharedReading<OverviewCallsDto>;
  private readonly deliveries: SharedReading<OverviewDeliveriesDto>;
  private readonly receivers: SharedReading<ReceiversInTrouble>;
  private readonly limits: SharedReading<readonly NearLimitDto[]>;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly unread: UnreadAgents,
    private readonly monitor: AgentMonitor,
    private readonly hours: AgentHours,
    private readonly activity: ActivityStore,
    private readonly load: WorkLoad,
    private readonly silent: StuckTasks,
    private readonly near: NearLimits,
    private readonly webhooks: DeliveryService,
    private readonly troubled: TroubledReceivers,
    private readonly workers: WorkerWatch,
    private readonly clock: Clock,
    private readonly names: PrincipalNames,
  ) {
    this.agents = new SharedReading(KEPT, clock);
    this.failing = new SharedReading(KEPT, clock);
    this.tasks = new SharedReading(KEPT, clock);
    this.stuck = new SharedReading(KEPT, clock);
    this.calls = new SharedReading(KEPT, clock);
    this.deliveries = new SharedReading(KEPT, clock);
    this.receivers = new SharedReading(KEPT, clock);
    this.limits = new SharedReading(KEPT, clock);
  }

  async of(caller: Principal, range: OverviewRange): Promise<OverviewDto> {
    // Minutes as all parts that are read beside each other have them.
    const times = this.bucketsOf(range);
    const [agents, calls, tasks, deliveries, troubled, limits] = await Promise.all([
      this.agentsOf(caller),
      this.callsOf(caller, times),
      this.tasksOf(caller, times),
      this.deliveriesOf(caller, times),
      this.receiversOf(caller),
      this.limitsOf(caller),
    ]);
    return new OverviewDto({
      at: this.clock.now().toISOString(),
      minutes: times.at.map((at) => new Date(at).toISOString()),
      spanMinutes: times.span,
      agents,
      calls,
      tasks,
      deliveries,
      receivers: troubled?.receivers.map((each) => new TroubledReceiverDto(each)) ?? null,
      receiversIsLeast: troubled?.isLeast ?? false,
      limits,
      workers: this.workers.count ?? null,
    });
  }

  private agentsOf(caller: Principal): Promise<OverviewAgentsDto | null> {
    if (!hasScope(caller, 'agents:organization')) return NOT_SEEN;
    return this.agents.get(keyOf(organizationOfAgents(caller)), FRESH_MS, async () => {
      const counts = { healthy: 0, failingCalls: 0, degraded: 0, down: 0, unknown: 0 };
      const others = { enabled: 0, disabled: 0, inService: 0, breakersOpen: 0, unusable: 0 };
      const troubled: TroubledAgent[] = [];
      const own = this.registry.all().filter((agent) => administers(caller, agent));
      const unread = this.unread.all().filter((agent) => administers(caller, agent));
      await mapInSlices([...own, ...unread], (agent) => {
        const { id, enabled } = agent;
        others[enabled ? 'enabled' : 'disabled'] += 1;
        if (!enabled) return;
        const view = this.monitor.viewOf(id);
        counts[view.verdict === 'failing' ? 'failingCalls' : view.health] += 1;
        if (view.breaker === 'open') others.breakersOpen += 1;
        if (isWithoutWork(agent)) others.unusable += 1;
        else if (view.verdict !== 'down' && view.verdict !== 'failing') others.inService += 1;
        const trouble = troubledAgent(agent, view);
        if (trouble !== null) troubled.push(trouble);
      });
      const failing = await this.failing.get(
        keyOf(organizationOfAgents(caller)),
        SLOW_FRESH_MS,
        () => this.hours.failing(own.map(({ id }) => id)),
      );
      return new OverviewAgentsDto({
        ...counts,
        ...others,
        failingTasks: failing.slice(0, SHOWN).map((each) => ({
          ...each,
          name: this.registry.get(each.agentId)?.card.name ?? each.agentId,
        })),
        inTrouble: troubled.length,
        troubled: troubled
          .sort(byUrgency)
          .slice(0, SHOWN)
          .map((each) => new TroubledAgentDto(each)),
      });
    });
  }

  private callsOf(caller: Principal, times: Buckets): Promise<OverviewCallsDto | null> {
    if (!hasScope(caller, 'agents:organization')) return NOT_SEEN;
    const organization = organizationOfAgents(caller);
    return this.calls.get(keyOf(organization, times), FRESH_MS, async () => {
      const own = this.registry.all().filter((agent) => administers(caller, agent));
      const ids = organization === null ? [''] : own.map(({ id }) => id);
      const found = await this.counts(['calls', 'callTimes'], times, { agentIds: ids });
      const calls = found.filter(({ kind }) => kind === 'calls');
      return new OverviewCallsDto({
        answered: seriesOf(calls, times.at, (name) => name === 'answered'),
        failed: seriesOf(calls, times.at, (name) => name !== 'answered'),
        outcomes: sumsOf(calls),
        meanMs: meanMs(calls),
        p95Ms: shareMs(
          found.filter(({ kind }) => kind === 'callTimes'),
          0.95,
        ),
      });
    });
  }

  private tasksOf(caller: Principal, times: Buckets): Promise<OverviewTasksDto | null> {
    if (!hasScope(caller, 'tasks:organization')) return NOT_SEEN;
    const view = operatorsView(caller);
    const organization = view.kind === 'everything' ? null : caller.organization;
    return this.tasks.get(keyOf(organization, times), FRESH_MS, async () => {
      const of = organization === null ? {} : { organization };
      const [counts, open, queue, stuck] = await Promise.all([
        this.counts(['tasks', 'errors'], times, of),
        this.load.open(organization),
        this.load.queue(organization),
        this.stuck.get(
          keyOf(organization),
          SLOW_FRESH_MS,
          async () => new StuckTasksDto(await this.silent.count(organization)),
        ),
      ]);
      const tasks = counts.filter(({ kind }) => kind === 'tasks');
      const series = (state: string): number[] =>
        seriesOf(tasks, times.at, (name) => name === state);
      const since = queue.oldestSince?.getTime();
      return new OverviewTasksDto({
        open: new OpenTasksDto(open),
        stuck,
        started: series('started'),
        completed: series('completed'),
        failed: series('failed'),
        canceled: series('canceled'),
        rejected: series('rejected'),
        errors: sumsOf(counts.filter(({ kind }) => kind === 'errors')).slice(0, SHOWN),
        waiting: queue.waiting,
        oldestWaitMs: since === undefined ? null : Math.max(0, this.clock.now().getTime() - since),
        queues: queue.agents,
      });
    });
  }

  private deliveriesOf(caller: Principal, times: Buckets): Promise<OverviewDeliveriesDto | null> {
    const seesAll = hasScope(caller, 'push:all');
    const seesOwn = hasScope(caller, 'push') && hasScope(caller, 'tasks:organization');
    if (!seesAll && !seesOwn) return NOT_SEEN;
    const organization = seesAll ? null : caller.organization;
    return this.deliveries.get(keyOf(organization, times), FRESH_MS, async () => {
      const of = organization === null ? {} : { organization };
      const [counts, backlog] = await Promise.all([
        this.counts(['deliveries'], times, of),
        this.webhooks.backlog(organization, MOST_DELIVERIES),
      ]);
      const series = (state: string): number[] =>
        seriesOf(counts, times.at, (name) => name === state);
      return new OverviewDeliveriesDto({
        delivered: series('delivered'),
        retrying: series('retrying'),
        dead: series('dead'),
        pending: backlog.pending,
        waitingForRetry: backlog.retrying,
        deadLetters: backlog.deadLetters,
        countedUpTo: MOST_DELIVERIES,
        oldestAt: backlog.oldestAt?.toISOString() ?? null,
      });
    });
  }

  private receiversOf(caller: Principal): Promise<ReceiversInTrouble | null> {
    if (!hasScope(caller, 'push')) return NOT_SEEN;
    const key = hasScope(caller, 'push:all') ? '' : keyOf(caller.organization);
    return this.receivers.get(key, SLOW_FRESH_MS, () => this.troubled.find(caller, SHOWN));
  }

  private limitsOf(caller: Principal): Promise<readonly NearLimitDto[] | null> {
    if (!hasScope(caller, 'access')) return NOT_SEEN;
    return this.limits.get('', SLOW_FRESH_MS, async () => {
      const nearest = await this.near.nearest(SHOWN);
      const names = await this.names.of(nearest.flatMap(({ principal }) => principal ?? []));
      return nearest.map((each) => new NearLimitDto(each, names));
    });
  }

  private counts(
    kinds: readonly ActivityKind[],
    { span, at }: Buckets,
    of: { readonly organization?: string; readonly agentIds?: readonly string[] },
  ): Promise<ActivityPoint[]> {
    const from = at[0]!;
    return this.activity.points({ span, kinds, from, to: at.at(-1)! + span * MINUTE_MS, ...of });
  }

  private bucketsOf(range: OverviewRange): Buckets {
    const { span, count } = BUCKETS[range];
    const spanMs = span * MINUTE_MS;
    const now = this.clock.now().getTime();
    const newest = now - (now % spanMs);
    return { span, at: Array.from({ length: count }, (_, i) => newest - (count - 1 - i) * spanMs) };
  }
}

const NOT_SEEN = Promise.resolve(null);

/** Whether its card keeps all work from it. */
function isWithoutWork({ cardTrouble }: Agent): boolean {
  return cardTrouble?.kind === 'unread' || cardTrouble?.kind === 'unusable';
}

/** Numbers of other minutes are others. */
function keyOf(organization: string | null, { span, at }: Partial<Buckets> = {}): string {
  return JSON.stringify([organization, span ?? 0, at?.[0] ?? 0, at?.length ?? 0]);
}
