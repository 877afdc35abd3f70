import { Choice, QueryFlag, Shown, Text, Time } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { fill } from '../../common/http/view.js';
import type { EndpointView } from './endpoint-store.js';
import {
  isGone,
  RECEIVER_STATES,
  type ReceiverState,
  receiverStateOf,
  rejectsEvents,
} from './domain/receiver-state.js';
import { originOf } from './endpoint.js';
import type { EventIds } from './event-ids.js';
import { PUSH_EVENT_TYPES, type PushEvent, type PushEventType } from './push-event.js';
import { ATTEMPTS_LOOKED_AT, type ReceiverLatency } from './receiver-latencies.js';
import { COUNT_LIMIT } from './waiting-streams.js';

const ORGANIZATION =
  'Only of this organization. Requires the scope `push:all` for an organization other than your own.';

export class EndpointQueryDto extends PageQueryDto {
  @Choice(RECEIVER_STATES, { optional: true })
  state?: ReceiverState;

  @QueryFlag({
    optional: true,
    description: 'True: only those that reject events (`rejects`); false: only the others.',
  })
  rejects?: boolean;

  @Text({ optional: true, max: 256, description: ORGANIZATION })
  organization?: string;

  @Text({
    optional: true,
    max: 4096,
    description:
      'Only this one: any URL of the receiver, of which scheme, host and port are compared; or an endpoint as webhooks and deliveries show it.',
    example: 'https://hooks.example',
  })
  endpoint?: string;
}

export class PushEventQueryDto extends PageQueryDto {
  @Choice(PUSH_EVENT_TYPES, { optional: true })
  type?: PushEventType;

  @Time({ optional: true, description: 'At this time or later.', example: '2026-01-31T12:00:00Z' })
  since?: string;

  @Time({ optional: true, description: 'Before this time.', example: '2026-01-31T12:00:00Z' })
  until?: string;

  @Text({ optional: true, max: 256, description: ORGANIZATION })
  organization?: string;
}

const BREAKERS = ['closed', 'open'] as const;

export class ReceiverLatencyDto {
  @Shown.Num({ description: 'Attempts that this was found of.', example: 120 })
  readonly attempts!: number;

  @Shown.Num({ description: 'In milliseconds.', example: 80 })
  readonly medianMs!: number;

  @Shown.Num({
    description: 'In milliseconds: 95 of 100 attempts took no longer.',
    example: 410,
  })
  readonly p95Ms!: number;

  @Shown.Flag({
    description:
      'Upper bounds: some attempts are known in whole seconds, rounded up. Of a receiver at a private address it is not shown how fast it is.',
  })
  readonly isRounded!: boolean;

  @Shown.Time({ description: 'When the newest of these attempts was made.' })
  readonly measuredAt!: string;

  constructor(latency: ReceiverLatency) {
    fill<ReceiverLatencyDto>(this, {
      ...latency,
      measuredAt: latency.measuredAt.toISOString(),
    });
  }
}

/** The health of one endpoint. */
export class EndpointDto {
  @Shown.Text({ example: 'https://hooks.example:443' })
  readonly origin!: string;

  @Shown.Text({ example: 'acme' })
  readonly organization!: string;

  @Shown.Choice(RECEIVER_STATES, {
    description:
      'healthy: it accepted the last attempt; untried: there was none yet; failing: it did not accept the last one, its circuit breaker opened, or a delivery was given up; disabled: the webhooks it had at that time are disabled.',
  })
  readonly state!: ReceiverState;

  @Shown.Flag({
    description:
      'Of one that is failing: it answers, but did not accept the last event (see `lastError`).',
  })
  readonly rejects!: boolean;

  @Shown.Flag({
    description:
      'Of one that rejects events: its last answer was 410. The webhook that got it is disabled, and nothing is sent for it until it is set again or resumed.',
  })
  readonly gone!: boolean;

  @Shown.Choice(BREAKERS, {
    description:
      'State of the circuit breaker. open: one webhook probes the endpoint, the others wait.',
  })
  readonly breaker!: (typeof BREAKERS)[number];

  @Shown.Num({ description: 'Failures in a row.', example: 0 })
  readonly failures!: number;

  @Shown.Num({ description: 'The number of concurrent attempts it may have.', example: 10 })
  readonly slots!: number;

  @Shown.Num({
    description: `Delivery streams with something to send to it, up to ${COUNT_LIMIT}.`,
    example: 3,
  })
  readonly waiting!: number;

  @Shown.Time({ nullable: true })
  readonly failingSince!: string | null;

  @Shown.Time({
    nullable: true,
    description:
      'When the next half-open probe is due; null while the breaker is closed, and when a probe may start at once after the endpoint was disabled.',
  })
  readonly nextProbeAt!: string | null;

  @Shown.Time({
    nullable: true,
    description:
      'When it was disabled, because of `lastError`; failures are counted anew from then on. Null once it has answered.',
  })
  readonly disabledAt!: string | null;

  @Shown.Time({ nullable: true, description: 'To the minute.' })
  readonly lastSuccessAt!: string | null;

  @Shown.Time({ nullable: true, description: 'To the second, of one that rejects events.' })
  readonly lastFailureAt!: string | null;

  @Shown.Text({ nullable: true, example: 'HTTP 503' })
  readonly lastError!: string | null;

  @Shown.Choice(['challenge', 'list'], {
    nullable: true,
    description:
      'How it has agreed to be called. `challenge`: it agreed to the challenge. `list`: the operator trusts its host (push.trustedHosts). Null: it has not, and the limits push.unverified apply.',
  })
  readonly verifiedBy!: 'challenge' | 'list' | null;

  @Shown.Time({ nullable: true })
  readonly verifiedAt!: string | null;

  @Shown.Time({
    nullable: true,
    description:
      'Until when its deliveries wait because it has not agreed to be called; this is no failure.',
  })
  readonly heldUntil!: string | null;

  @Shown.Text({ nullable: true, description: 'Why its deliveries wait.' })
  readonly heldReason!: string | null;

  @Shown.Nested(() => ReceiverLatencyDto, {
    nullable: true,
    description: `How long its attempts took, those that failed as well, of the newest ${ATTEMPTS_LOOKED_AT} of all receivers; where none of these is its own, what was measured last, for a day. Null: nothing was.`,
  })
  readonly latency!: ReceiverLatencyDto | null;

  /** `isListed`: the operator lists its host; `now`: times before that are over. */
  constructor(view: EndpointView, isListed: boolean, now: Date, latency: ReceiverLatency | null) {
    const isHeld = !isListed && (view.heldUntil ?? 0) > now.getTime();
    fill<EndpointDto>(this, {
      ...view,
      latency: latency && new ReceiverLatencyDto(latency),
      verifiedBy: isListed ? 'list' : view.verifiedAt === null ? null : 'challenge',
      verifiedAt: iso(view.verifiedAt),
      heldUntil: isHeld ? iso(view.heldUntil) : null,
      heldReason: isHeld ? view.heldReason : null,
      origin: originOf(view.endpoint),
      state: receiverStateOf(view),
      rejects: rejectsEvents(view),
      gone: isGone(view),
      breaker: view.probeAt === null ? 'closed' : 'open',
      slots: view.concurrency,
      failingSince: iso(view.failingSince),
      nextProbeAt: iso(view.probeAt === view.disabledAt ? null : view.probeAt),
      disabledAt: iso(view.disabledAt),
      lastSuccessAt: iso(view.lastSuccessAt),
      lastFailureAt: iso(view.lastFailureAt),
    });
  }
}

/** One event; the `data` of the feed. */
export class PushEventDto {
  @Shown.Text({
    description: 'Opaque id, used to resume a stream (Last-Event-ID).',
    example: 'gQy0pWq3x2aT5nVb1sUe7A',
  })
  readonly id!: string;

  @Shown.Choice(PUSH_EVENT_TYPES)
  readonly type!: PushEventType;

  @Shown.Time()
  readonly at!: string;

  @Shown.Text({ example: 'acme' })
  readonly organization!: string;

  @Shown.Text({ example: 'https://hooks.example:443' })
  readonly origin!: string;

  @Shown.Text({ nullable: true, description: 'Of the webhook, for webhook.disabled.' })
  readonly taskId!: string | null;

  @Shown.Text({ nullable: true, description: 'Of the webhook, for webhook.disabled.' })
  readonly configId!: string | null;

  @Shown.Text({ nullable: true, example: 'HTTP 503' })
  readonly reason!: string | null;

  @Shown.Time({ nullable: true, description: 'Since when every attempt has failed.' })
  readonly since!: string | null;

  constructor(event: PushEvent, ids: EventIds) {
    fill<PushEventDto>(this, {
      ...event,
      id: ids.shown(event.id),
      origin: originOf(event.endpoint),
    });
  }
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
