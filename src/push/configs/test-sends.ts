import { Injectable } from '@nestjs/common';
import { EVERYTHING } from '../../auth/index.js';
import { HubError } from '../../common/hub-error.js';
import { TaskStore } from '../../tasks/index.js';
import type { DeliveryAttempt } from '../deliveries/delivery.js';
import { errorClassOf, verdictOf } from '../domain/attempt-verdict.js';
import { saidBy } from '../lanes/attempt-outcome.js';
import { TestSender } from '../sending/test-sender.js';
import { ManagedConfigStore, type TestRecord } from './managed-config-store.js';
import type { PushConfig } from './push-config.js';

/**
 * Tries the webhook of a task: recorded like a delivery, beside its lane. It works on a paused or
 * disabled webhook too.
 */
@Injectable()
export class TestSends {
  constructor(
    private readonly sender: TestSender,
    private readonly store: ManagedConfigStore,
    private readonly tasks: TaskStore,
  ) {}

  /** Throws RATE_LIMITED as {@link TestSender.send}, and NOT_FOUND when the task is gone. */
  async send(config: PushConfig): Promise<TestRecord> {
    const task = await this.tasks.record(config.taskId, EVERYTHING);
    if (!task) throw new HubError('NOT_FOUND', 'There is no such webhook.');
    const { answer, at, id, webhookId } = await this.sender.send(config, task, task.seq);
    const { status, durationMs, response } = answer;
    const error = errorClassOf(status, answer.error);
    const attempt: DeliveryAttempt = { number: 1, at, durationMs, status, error, response };
    const delivered = verdictOf(status) === 'delivered';
    const reason = delivered ? null : saidBy(answer);
    const test = { id, webhookId, seq: task.seq, delivered, reason, attempt };
    await this.store.recordTest(config, test);
    return test;
  }
}
