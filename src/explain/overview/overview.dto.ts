import { AGENT_VERDICTS, type AgentVerdict } from '../../agents/index.js';
import { nameOf, PRINCIPAL_NAME } from '../../audit/index.js';
import { BREAKER_STATES, type BreakerState } from '../../common/circuit-breaker.js';
import { Choice, Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { RECEIVER_STATES, type ReceiverState } from '../../push/index.js';
import {
  LIMIT_STATES,
  type NearLimit,
  type OpenTasks,
  type StuckCount,
} from '../../tasks/index.js';
import type { TroubledAgent } from '../health/troubled-agents.js';

/** How far back the series of an overview go: by the minute, or by the quarter of an hour. */
const OVERVIEW_RANGES = ['1h', '6h', '24h'] as const;
export type OverviewRange = (typeof OVERVIEW_RANGES)[number];

export class OverviewQueryDto {
  @Choice(OVERVIEW_RANGES, {
    optional: true,
    default: '1h',
    description:
      'How far back the series go, with what is counted beside them (`errors`, `outcomes`, times of calls): an hour by the minute, or longer by the quarter of an hour.',
  })
  range: OverviewRange = '1h';
}

/** A number of each minute, oldest first. */
const OF_MINUTES = 'One number for each of `minutes`.';
const COUNTED = { description: OF_MINUTES, list: true } as const;

export class NamedCountDto {
  @Shown.Text()
  readonly name!: string;

  @Shown.Num()
  readonly count!: number;
}

export class FailingAgentDto {
  @Shown.Text()
  readonly agentId!: string;
  @Shown.Text({ description: 'As its card has it.' })
  readonly name!: string;
  @Shown.Num({
    description: 'Tasks, or parts of one, that it failed by its own fault in the last hour.',
  })
  readonly failed!: number;
  @Shown.Num()
  readonly completed!: number;
}

export class TroubledAgentDto {
  @Shown.Text()
  readonly agentId!: string;
  @Shown.Text({ description: 'As its card has it.' })
  readonly name!: string;
  @Shown.Choice(AGENT_VERDICTS)
  readonly verdict!: AgentVerdict;
  @Shown.Choice(BREAKER_STATES)
  readonly breaker!: BreakerState;
  @Shown.Time({
    nullable: true,
    description:
      'Since when its health is what it is; null: it was not called yet, or its verdict is failing.',
  })
  readonly since!: string | null;
  @Shown.Text({ description: 'What is wrong, as /health/details has it.' })
  readonly why!: string;

  constructor(agent: TroubledAgent) {
    fill<TroubledAgentDto>(this, agent);
  }
}

export class OverviewAgentsDto {
  @Shown.Num({ description: 'Those that are enabled.' })
  readonly enabled!: number;
  @Shown.Num()
  readonly disabled!: number;
  @Shown.Num({ description: 'Enabled, and neither down nor failing nor without a usable card.' })
  readonly inService!: number;
  @Shown.Num({ description: 'Each enabled one is counted once, in this or the next four.' })
  readonly healthy!: number;
  @Shown.Num({
    description:
      'Those whose verdict is failing: half or more of their last calls failed, yet they are not down.',
  })
  readonly failingCalls!: number;
  @Shown.Num({ description: 'Degraded, and their verdict is another.' })
  readonly degraded!: number;
  @Shown.Num()
  readonly down!: number;
  @Shown.Num({ description: 'Not called yet.' })
  readonly unknown!: number;
  @Shown.Num({
    description:
      'Of all these, those whose card could not be read yet or cannot be used: they get no work.',
  })
  readonly unusable!: number;
  @Shown.Num({ description: 'Their circuit breaker lets no work through.' })
  readonly breakersOpen!: number;
  @Shown.Nested(() => FailingAgentDto, {
    list: true,
    description:
      'Those that failed more tasks by their own fault than they completed in the last hour, 3 at least; the 10 with most, read at most every five seconds.',
  })
  readonly failingTasks!: readonly FailingAgentDto[];
  @Shown.Num({
    description:
      'Enabled ones that are down or degraded, fail their calls, have a full queue, or a card that was refused or cannot be read or used.',
  })
  readonly inTrouble!: number;
  @Shown.Nested(() => TroubledAgentDto, {
    list: true,
    description: 'Those of them that are looked at first, 10 at most.',
  })
  readonly troubled!: readonly TroubledAgentDto[];

  constructor(agents: OverviewAgentsDto) {
    fill<OverviewAgentsDto>(this, agents);
  }
}

export class OpenTasksDto {
  @Shown.Num()
  readonly total!: number;
  @Shown.Num()
  readonly submitted!: number;
  @Shown.Num()
  readonly working!: number;
  @Shown.Num()
  readonly inputRequired!: number;
  @Shown.Num()
  readonly authRequired!: number;
  @Shown.Flag({
    description: 'More than one state has over 10000 tasks: those numbers are at least so many.',
  })
  readonly isLeast!: boolean;

  constructor(open: OpenTasks) {
    fill<OpenTasksDto>(this, open);
  }
}

export class StuckTasksDto {
  @Shown.Num()
  readonly total!: number;
  @Shown.Num({ description: 'No agent has begun them within tasks.stuckQueued.' })
  readonly submitted!: number;
  @Shown.Num({ description: 'Nothing was received of them for tasks.stuckSilent.' })
  readonly working!: number;
  @Shown.Flag({
    description: 'Of one state the 1000 that have it longest were looked at: there may be more.',
  })
  readonly isLeast!: boolean;

  constructor(stuck: StuckCount) {
    fill<StuckTasksDto>(this, { total: stuck.submitted + stuck.working, ...stuck });
  }
}

export class QueuedAgentDto {
  @Shown.Text()
  readonly agentId!: string;
  @Shown.Num()
  readonly waiting!: number;
}

export class OverviewTasksDto {
  @Shown.Nested(() => OpenTasksDto)
  readonly open!: OpenTasksDto;
  @Shown.Nested(() => StuckTasksDto, {
    description:
      'Those that make no progress, as `stuck=true` lists them; read at most every five seconds.',
  })
  readonly stuck!: StuckTasksDto;
  @Shown.Num(COUNTED)
  readonly started!: readonly number[];
  @Shown.Num(COUNTED)
  readonly completed!: readonly number[];
  @Shown.Num(COUNTED)
  readonly failed!: readonly number[];
  @Shown.Num(COUNTED)
  readonly canceled!: readonly number[];
  @Shown.Num(COUNTED)
  readonly rejected!: readonly number[];
  @Shown.Nested(() => NamedCountDto, {
    list: true,
    description:
      'Why delegations failed in these minutes, by the codes of docs/audit.md; the 10 most frequent.',
  })
  readonly errors!: readonly NamedCountDto[];
  @Shown.Num({ description: 'Delegations that wait for an agent to take them.' })
  readonly waiting!: number;
  @Shown.Num({
    nullable: true,
    description: 'For how long the first of the longest queues has waited, in milliseconds.',
  })
  readonly oldestWaitMs!: number | null;
  @Shown.Nested(() => QueuedAgentDto, { list: true, description: 'The 10 longest queues.' })
  readonly queues!: readonly QueuedAgentDto[];

  constructor(tasks: OverviewTasksDto) {
    fill<OverviewTasksDto>(this, tasks);
  }
}

export class OverviewCallsDto {
  @Shown.Num(COUNTED)
  readonly answered!: readonly number[];
  @Shown.Num(COUNTED)
  readonly failed!: readonly number[];
  @Shown.Nested(() => NamedCountDto, {
    list: true,
    description:
      'answered, or what failed: unreachable, rejected, interrupted, invalid, not-found.',
  })
  readonly outcomes!: readonly NamedCountDto[];
  @Shown.Num({ nullable: true, description: 'Milliseconds to the first answer.' })
  readonly meanMs!: number | null;
  @Shown.Num({ nullable: true, description: 'Estimated: 95 of 100 calls were answered sooner.' })
  readonly p95Ms!: number | null;

  constructor(calls: OverviewCallsDto) {
    fill<OverviewCallsDto>(this, calls);
  }
}

export class OverviewDeliveriesDto {
  @Shown.Num(COUNTED)
  readonly delivered!: readonly number[];
  @Shown.Num({ ...COUNTED, description: `Attempts that failed and are repeated. ${OF_MINUTES}` })
  readonly retrying!: readonly number[];
  @Shown.Num({ ...COUNTED, description: `Deliveries that were given up. ${OF_MINUTES}` })
  readonly dead!: readonly number[];
  @Shown.Num({ description: 'Made and not tried yet.' })
  readonly pending!: number;
  @Shown.Num({ description: 'Failed, and tried again later.' })
  readonly waitingForRetry!: number;
  @Shown.Num({ description: 'Given up, without those that the owner of a webhook ended.' })
  readonly deadLetters!: number;
  @Shown.Num({
    description: 'Those three are counted up to this number each: there may be more.',
  })
  readonly countedUpTo!: number;
  @Shown.Time({ nullable: true, description: 'When the oldest that has not ended was made.' })
  readonly oldestAt!: string | null;

  constructor(deliveries: OverviewDeliveriesDto) {
    fill<OverviewDeliveriesDto>(this, deliveries);
  }
}

export class TroubledReceiverDto {
  @Shown.Text({ example: 'https://hooks.example:443' })
  readonly origin!: string;
  @Shown.Text()
  readonly organization!: string;
  @Shown.Choice(RECEIVER_STATES, {
    description:
      'As GET /api/v1/push/endpoints has it. One that is healthy or untried has lost events nevertheless.',
  })
  readonly state!: ReceiverState;
  @Shown.Flag({
    description: 'Of one that is failing: it answers, but did not accept the last event.',
  })
  readonly rejects!: boolean;
  @Shown.Flag({
    description:
      'Of one that rejects events: its last answer was 410, and the webhook that got it is disabled.',
  })
  readonly gone!: boolean;
  @Shown.Text({
    nullable: true,
    description:
      'What went wrong last. Of one that is neither failing nor disabled, why it rejected events, or else why most were lost.',
  })
  readonly lastError!: string | null;
  @Shown.Num({
    description:
      'Events that were given up in the last 24 hours: its dead letters, without those that the owner of a webhook ended.',
  })
  readonly lost!: number;
  @Shown.Num({ description: 'Those of them that it rejected.' })
  readonly rejected!: number;
  @Shown.Num({ description: 'Webhooks that wait for it.' })
  readonly waiting!: number;

  constructor(receiver: TroubledReceiverDto) {
    fill<TroubledReceiverDto>(this, receiver);
  }
}

export class NearLimitDto {
  @Shown.Text({ nullable: true })
  readonly organization!: string | null;
  @Shown.Text({ nullable: true })
  readonly principal!: string | null;
  @Shown.Text(PRINCIPAL_NAME)
  readonly principalName!: string | null;
  @Shown.Text({ nullable: true })
  readonly agent!: string | null;
  @Shown.Text({ nullable: true })
  readonly skill!: string | null;
  @Shown.Text({ example: 'openTasks' })
  readonly kind!: string;
  @Shown.Num()
  readonly used!: number;
  @Shown.Num()
  readonly limit!: number;
  @Shown.Text({ nullable: true, description: 'Of a budget.' })
  readonly unit!: string | null;
  @Shown.Choice(LIMIT_STATES)
  readonly state!: string;

  constructor(limit: NearLimit, names: ReadonlyMap<string, string>) {
    const principalName = nameOf(names, limit.principal);
    fill<NearLimitDto>(this, { principalName, ...limit });
  }
}

const UNSEEN = 'null: the caller may not see it.';

export class OverviewDto {
  @Shown.Time()
  readonly at!: string;

  @Shown.Time({
    list: true,
    description:
      'When the minutes began that numbers are given for, oldest first: 60; of `6h` and `24h` the 24 or 96 quarters of an hour.',
  })
  readonly minutes!: readonly string[];

  @Shown.Num({ description: 'How many minutes each number is of: 1 or 15.', example: 1 })
  readonly spanMinutes!: number;

  @Shown.Nested(() => OverviewAgentsDto, {
    nullable: true,
    description: `Those that the caller administers, by all processes that call them; ${UNSEEN}`,
  })
  readonly agents!: OverviewAgentsDto | null;

  @Shown.Nested(() => OverviewTasksDto, {
    nullable: true,
    description: `Of all organizations with the scope \`tasks:all\`, else of the caller's own; ${UNSEEN}`,
  })
  readonly tasks!: OverviewTasksDto | null;

  @Shown.Nested(() => OverviewCallsDto, {
    nullable: true,
    description: `Calls to the agents that the caller administers, in these minutes; ${UNSEEN}`,
  })
  readonly calls!: OverviewCallsDto | null;

  @Shown.Nested(() => OverviewDeliveriesDto, {
    nullable: true,
    description: `Webhooks, of all organizations with \`push:all\`, of the caller's own with \`push\` and \`tasks:organization\`; ${UNSEEN}`,
  })
  readonly deliveries!: OverviewDeliveriesDto | null;

  @Shown.Nested(() => TroubledReceiverDto, {
    nullable: true,
    list: true,
    description: `Receivers that are failing or disabled, or lost events in the last 24 hours; 10 at most; ${UNSEEN}`,
  })
  readonly receivers!: readonly TroubledReceiverDto[] | null;

  @Shown.Flag({
    description:
      'More events were lost than were looked at: there may be more receivers, and `lost` and `rejected` of each may be larger.',
  })
  readonly receiversIsLeast!: boolean;

  @Shown.Nested(() => NearLimitDto, {
    nullable: true,
    list: true,
    description: `Limits used up to four fifths or more, nearest to their end first; 10 at most; ${UNSEEN}`,
  })
  readonly limits!: readonly NearLimitDto[] | null;

  @Shown.Num({ nullable: true, description: 'Processes that work on tasks and webhooks.' })
  readonly workers!: number | null;

  constructor(overview: OverviewDto) {
    fill<OverviewDto>(this, overview);
  }
}
