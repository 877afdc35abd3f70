import type { IdSource } from '../../../common/ids.js';
import type { Tx, Work } from '../../../database/sql.js';
import type { PushEvent, PushEventDraft } from '../../receivers/push-event.js';
import { recordEvents } from '../../receivers/persistence/record-event.js';
import {
  isReplaced,
  recordOnSubscription,
} from '../../registration/persistence/webhook-revision.js';
import { reasonOfDisabled } from '../domain/dead-causes.js';
import type { DeliveryStream, StepResult } from '../delivery-stream-store.js';
import { toStep } from './advance-stream.js';
import { writeDeadLetters } from './end-streams.js';
import {
  insertDelivered,
  recordOnDelivery,
  recordOnStream,
  recordOnWebhook,
} from './record-attempt.js';
import { type AttemptOutcome, isUsual, moveStream, type UsualOutcome } from './record-delivered.js';
import {
  type RecordedEndpoint,
  recordLostProbe,
  recordOnEndpoint,
  releaseProbe,
} from './record-endpoint-outcome.js';

/** What follows from an attempt. */
export interface Recorded {
  readonly step: StepResult;
  readonly events: readonly PushEvent[];
}

/** See `DeliveryStreamStore.recordAttempt`; what follows from each, in their order. Of a stream there is one at most. */
export function* recordOutcomes(
  tx: Tx,
  outcomes: readonly AttemptOutcome[],
  ids: IdSource,
): Work<Recorded[]> {
  const recorded: Recorded[] = [];
  const delivered: UsualOutcome[] = [];
  for (const outcome of outcomes) {
    if (isUsual(outcome)) {
      const step = yield* moveStream(tx, outcome);
      if (step !== undefined) {
        delivered.push(outcome);
        recorded.push({ step, events: [] });
        continue;
      }
    }
    recorded.push(yield* recordOutcome(tx, outcome, ids));
  }
  yield* insertDelivered(tx, delivered);
  return recorded;
}

function* recordOutcome(
  tx: Tx,
  { stream, attemptRecord, rules, now, leaseUntil }: AttemptOutcome,
  ids: IdSource,
): Work<Recorded> {
  const random = ids.jitter();
  const { outcome, result } = attemptRecord;
  const isDisabled = result.state === 'dead' && result.effect === 'disabled';
  // The claim of before is about to end: what is left goes to the new address.
  const isOver = isDisabled && (yield* isReplaced(tx, stream.webhook));
  const row = isOver
    ? undefined
    : yield* recordOnStream(tx, stream, attemptRecord, now, leaseUntil);
  if (!row) {
    const tried = outcome && (yield* recordLostProbe(tx, stream, outcome, rules, now, random));
    return { step: 'lost', events: yield* recordEvents(tx, eventsOf(stream, tried, null, now)) };
  }
  yield* recordOnDelivery(tx, stream, attemptRecord, now);
  const { disableAfterMs } = rules;
  const webhook = yield* recordOnWebhook(tx, stream.webhook, attemptRecord, now, disableAfterMs);
  if (isDisabled) yield* writeDeadLetters(tx, ids, [row], reasonOfDisabled(result.reason), now);
  const recorded =
    outcome && (yield* recordOnEndpoint(tx, stream, row, outcome, rules, now, random));
  if (!recorded) yield* releaseProbe(tx, stream);
  const isGone = isDisabled && attemptRecord.attempt?.status === 410;
  if (webhook !== stream.webhook) yield* recordOnSubscription(tx, webhook, isGone, now);
  const drafts = eventsOf(stream, recorded, isDisabled ? result.reason : null, now);
  const events = yield* recordEvents(tx, drafts);
  // The probe is over with its first attempt.
  const step = toStep(row, { ...stream, probeUntil: null }, webhook);
  return { step: recorded?.isQueued ? 'idle' : step, events };
}

function eventsOf(
  stream: DeliveryStream,
  recorded: RecordedEndpoint | undefined,
  disabledBecause: string | null,
  at: Date,
): PushEventDraft[] {
  const { organization, principalId, taskId, configId, failingSince } = stream.webhook;
  const drafts: PushEventDraft[] = [];
  const common = { at, organization, endpoint: stream.endpoint };
  if (disabledBecause !== null) {
    const whose = { principalId, taskId, configId };
    const type = 'webhook.disabled' as const;
    drafts.push({ ...common, ...whose, type, reason: disabledBecause, since: failingSince });
  }
  drafts.push(...endpointEvents(common, recorded));
  return drafts;
}

/** What operators see of an endpoint whose health has changed. */
export function endpointEvents(
  common: Pick<PushEventDraft, 'at' | 'organization' | 'endpoint'>,
  recorded: RecordedEndpoint | undefined,
): PushEventDraft[] {
  if (!recorded?.event) return [];
  const { event, since, health } = recorded;
  return [
    {
      ...common,
      principalId: null,
      taskId: null,
      configId: null,
      type: event,
      reason: event === 'endpoint.recovered' ? null : health.lastError,
      since: since === null ? null : new Date(since),
    },
  ];
}
