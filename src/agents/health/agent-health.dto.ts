import { BREAKER_STATES, type BreakerState } from '../../common/circuit-breaker.js';
import { Shown, Text } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { fill } from '../../common/http/view.js';
import type { AgentChange, AgentEvent, AgentStatus } from './agent-events.js';
import { AGENT_VERDICTS, type AgentVerdict } from './domain/agent-verdict.js';
import { HEALTH_STATES, type HealthState } from './agent-health.js';
import type { AgentHealthView } from './agent-monitor.js';

/** How an agent stands, by all processes that call it, as far as the one that answers knows. */
export class AgentHealthDto {
  @Shown.Choice(HEALTH_STATES, {
    description:
      'unknown: not called yet; degraded: some calls failed, or most of its tasks fail, it is ranked after agents of equal priority; down: it gets only half-open probes. It is down where half or more of the processes that call it see it so.',
  })
  readonly state!: HealthState;

  @Shown.Choice(AGENT_VERDICTS, {
    description:
      'What the state and the last calls and tasks say together. failing: half or more of its last calls, of an hour, failed by its own fault, yet it is not down; recovering: it is degraded, but its last tasks were all completed; else the state.',
  })
  readonly verdict!: AgentVerdict;

  @Shown.Time({ nullable: true, description: 'Since when the state is what it is.' })
  readonly since!: string | null;

  @Shown.Choice(BREAKER_STATES, {
    description:
      'open: it gets no work for a while; half-open: one message or health check decides. Each process that calls agents has its own; this is the one that routing goes by.',
  })
  readonly breaker!: BreakerState;

  @Shown.Text({
    nullable: true,
    description:
      'The last error; one that another process got is that by which its health changed last.',
  })
  readonly lastError!: string | null;

  @Shown.Time({
    nullable: true,
    description:
      'When it answered a call or a health check last, of the process that answers: one of the role `api` makes health checks alone.',
  })
  readonly lastOkAt!: string | null;

  @Shown.Num({
    nullable: true,
    description:
      'Milliseconds to the first answer of a call, as a moving average; of the process that answers (null with the role `api`, which calls none).',
  })
  readonly latencyMs!: number | null;

  @Shown.Num({
    nullable: true,
    description:
      'The share of its recent tasks that failed by its own fault, 0 to 1, each organization weighted equally; of the process that answers; null: none ended recently there.',
  })
  readonly taskFailureRate!: number | null;

  @Shown.Text({
    nullable: true,
    description: 'Why the last failed task failed, of the process that answers.',
  })
  readonly lastTaskError!: string | null;

  @Shown.Num({
    description:
      'Delegations it works on, for all processes of the hub; those of others as of the last second.',
  })
  readonly outstanding!: number;

  @Shown.Num({ description: 'Delegations queued for it, over all processes.' })
  readonly queued!: number;

  @Shown.Flag({ description: 'Its queue is full: it gets no new task.' })
  readonly isFull!: boolean;

  constructor(view: AgentHealthView) {
    fill<AgentHealthDto>(this, { ...view, state: view.health });
  }
}

/** The data of an `agent` event. */
export class AgentChangeDto {
  @Shown.Text()
  readonly agentId!: string;

  @Shown.Choice(HEALTH_STATES)
  readonly health!: HealthState;

  @Shown.Choice(BREAKER_STATES)
  readonly breaker!: BreakerState;

  @Shown.Json({ values: { type: 'string' } })
  readonly before!: AgentStatus;

  @Shown.Text({ nullable: true })
  readonly lastError!: string | null;

  @Shown.Time()
  readonly at!: string;

  constructor(change: AgentChange) {
    fill<AgentChangeDto>(this, change);
  }
}

/** An `agent` event in a list. */
export class AgentEventDto extends AgentChangeDto {
  @Shown.Text({ description: 'As in the stream, for Last-Event-ID.' })
  readonly id: string;

  constructor({ id, change }: AgentEvent) {
    super(change);
    this.id = id;
  }
}

export class AgentEventQueryDto extends PageQueryDto {
  @Text({ optional: true, max: 63, description: 'Only changes of this agent.' })
  agentId?: string;
}
