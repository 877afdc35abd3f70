import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { IdSource } from '../../common/ids.js';
import { TaskState } from '../../protocol/a2a.js';
import { subscriptionConfigId } from '../domain/config-id.js';
import type { PushConfig } from '../configs/push-config.js';
import { type SentTest, TestSender } from '../sending/test-sender.js';
import { type Subscription, registrationOf } from './subscription.js';
import { SubscriptionsService } from './subscriptions.service.js';

/**
 * Tries the webhook of a subscription with a task that is made up, marked as a test and stored nowhere.
 * It works on a paused or disabled subscription too.
 */
@Injectable()
export class SubscriptionTests {
  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly sender: TestSender,
    private readonly clock: Clock,
    private readonly ids: IdSource,
  ) {}

  /**
   * Throws NOT_FOUND, PERMISSION_DENIED for one the caller may not change, and RATE_LIMITED as
   * {@link TestSender.send}.
   */
  async send(id: string, caller: Principal): Promise<SentTest> {
    const subscription = await this.subscriptions.usable(id, caller);
    const taskId = this.ids.next();
    const state = TaskState.TASK_STATE_SUBMITTED;
    const task = { id: taskId, contextId: taskId, state, statusAt: this.clock.now() };
    return this.sender.send(configOf(subscription, taskId), task, 1);
  }
}

/** The config that a task of this id would have. */
function configOf(of: Subscription, taskId: string): PushConfig {
  return {
    uid: of.id,
    taskId,
    configId: subscriptionConfigId(of.id),
    principalId: of.principalId,
    organization: of.organization,
    ...registrationOf(of),
    subscriptionId: of.id,
    traceparent: null,
    state: of.state,
    stateReason: of.stateReason,
    failingSince: null,
    lastFailureAt: null,
    createdAt: of.createdAt,
    updatedAt: of.updatedAt,
  };
}
