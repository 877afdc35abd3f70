import { Injectable } from '@nestjs/common';
import { EVERYTHING } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { Log } from '../../common/logger.js';
import { TaskState } from '../../protocol/a2a.js';
import { TaskStore } from '../../tasks/index.js';
import type { DeliveryAttempt } from '../delivery/delivery.js';
import { DeliveryStreamStore } from '../delivery/delivery-stream-store.js';
import { PushWakeup } from '../delivery/push-wakeup.js';
import { errorClassOf, verdictOf } from '../receivers/domain/attempt-verdict.js';
import { saidBy } from '../delivery/attempt-outcome.js';
import { type SentTest, TestSender } from '../sending/test-sender.js';
import { WebhookStore, type TestRecord } from './webhook-store.js';
import {
  type StreamHealth,
  type Subscription,
  type TaskWebhook,
  taskWebhookOf,
} from '../registration/webhook.js';

/** Of a task that nothing has come of yet. */
const UNTRIED: StreamHealth = {
  state: 'active',
  stateReason: null,
  failingSince: null,
  lastFailureAt: null,
};

/** A test that was recorded, and what was sent. */
export type RecordedTest = TestRecord & Pick<SentTest, 'request'>;

/**
 * Tries webhooks; it works on a paused or disabled one too. A test that is delivered closes the breaker of its receiver, unless
 * that is disabled.
 */
@Injectable()
export class TestSends {
  constructor(
    private readonly sender: TestSender,
    private readonly store: WebhookStore,
    private readonly tasks: TaskStore,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly streams: DeliveryStreamStore,
    private readonly wakeup: PushWakeup,
    private readonly log: Log,
  ) {}

  /**
   * That of a task: recorded like a delivery, beside its delivery stream. Throws RATE_LIMITED as
   * {@link TestSender.send}, and NOT_FOUND when the task is gone.
   */
  async ofTask(webhook: TaskWebhook): Promise<RecordedTest> {
    const task = await this.tasks.record(webhook.taskId, EVERYTHING);
    if (!task) throw new HubError('NOT_FOUND', 'There is no such webhook.');
    const sent = await this.sender.send(webhook, task, task.seq);
    const { answer, at, id, webhookId, request } = sent;
    const { status, durationMs, response } = answer;
    const attempt: DeliveryAttempt = {
      number: 1,
      at,
      durationMs,
      isRounded: answer.isGuarded === true,
      status,
      error: errorClassOf(status, answer.error),
      response,
    };
    const delivered = verdictOf(status) === 'delivered';
    const reason = delivered ? null : saidBy(answer);
    const test = { id, webhookId, seq: task.seq, delivered, reason, attempt };
    await this.store.recordTest(webhook, test);
    await this.noteReceiver(webhook, sent);
    return { ...test, request };
  }

  /**
   * A subscription, with a task that is made up, marked as a test and stored nowhere. Throws RATE_LIMITED as
   * {@link TestSender.send}.
   */
  async ofSubscription(subscription: Subscription): Promise<SentTest> {
    const taskId = this.ids.next();
    const now = this.clock.now();
    const state = TaskState.TASK_STATE_SUBMITTED;
    const task = { id: taskId, contextId: taskId, state, statusAt: now };
    const stream = { streamId: subscription.id, taskId, traceparent: null, createdAt: now };
    const webhook = taskWebhookOf(subscription, stream, UNTRIED);
    const sent = await this.sender.send(webhook, task, 1);
    await this.noteReceiver(webhook, sent);
    return sent;
  }

  /**
   * A receiver that takes the test is there again: what waits for it need not wait for its next try. What came of the test is
   * answered also when this cannot be written: the receiver has it, and the next try finds out.
   */
  private async noteReceiver(webhook: TaskWebhook, { at, answer }: SentTest): Promise<void> {
    if (verdictOf(answer.status) !== 'delivered') return;
    try {
      await this.streams.recordTest(webhook, at, this.clock.now());
      this.wakeup.notify();
    } catch (error) {
      const { organization, endpoint } = webhook;
      this.log.warn(
        { err: error, organization, endpoint },
        'a test was delivered, but its receiver could not be updated',
      );
    }
  }
}
