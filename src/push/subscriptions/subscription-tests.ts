import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import { TaskState } from '../../protocol/a2a.js';
import { AttemptSender } from '../attempt-sender.js';
import { subscriptionConfigId } from '../domain/config-id.js';
import { testPayload, testWebhookId } from '../domain/test-event.js';
import type { PushConfig } from '../push-config.js';
import { webhookBody } from '../webhook-body.js';
import type { WebhookAnswer } from '../webhook-sender.js';
import type { Subscription } from './subscription.js';
import { SubscriptionsService } from './subscriptions.service.js';

/** A test is tiny; this only keeps the shape of a body's limits. */
const LIMITS = { maxBytes: Number.MAX_SAFE_INTEGER, publicUrl: null };

export interface SubscriptionTest {
  readonly webhookId: string;
  readonly answer: WebhookAnswer;
}

/**
 * Tries the webhook of a subscription: one request by the way every delivery takes, with a task that is
 * made up, marked as a test and stored nowhere. It works on a paused or disabled subscription too.
 */
@Injectable()
export class SubscriptionTests {
  private readonly underWay = new Set<string>();

  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly sender: AttemptSender,
    private readonly clock: Clock,
    private readonly ids: IdSource,
  ) {}

  /**
   * Resolves when the receiver has answered or its time is up. Throws NOT_FOUND, PERMISSION_DENIED for
   * one the caller may not change, and RATE_LIMITED while the subscription is being tried.
   */
  async send(id: string, caller: Principal): Promise<SubscriptionTest> {
    const subscription = await this.subscriptions.usable(id, caller);
    if (this.underWay.has(id)) {
      throw new HubError('RATE_LIMITED', 'A test is under way; wait until it has ended.');
    }
    this.underWay.add(id);
    try {
      return await this.attempt(subscription);
    } finally {
      this.underWay.delete(id);
    }
  }

  private async attempt(of: Subscription): Promise<SubscriptionTest> {
    const at = this.clock.now();
    const id = this.ids.next();
    const task = { id, contextId: id, state: TaskState.TASK_STATE_SUBMITTED, statusAt: at };
    const { body, contentType } = webhookBody(of.version, testPayload(task), LIMITS);
    const webhookId = testWebhookId(of.id, id);
    const facts = { contentType, webhookId, at, attempt: 1, seq: 1, number: 0, gapSeq: null };
    const answer = await this.sender.send(
      configOf(of, id),
      { ...facts, test: true },
      body,
      new AbortController().signal,
    );
    return { webhookId, answer };
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
    url: of.url,
    endpoint: of.endpoint,
    version: of.version,
    authScheme: of.authScheme,
    authNames: of.authNames,
    authProfile: of.authProfile,
    sealedCredentials: of.sealedCredentials,
    sealedToken: of.sealedToken,
    sealedSigningKeys: of.sealedSigningKeys,
    events: of.events,
    subscriptionId: of.id,
    fingerprint: of.fingerprint,
    verified: of.verified,
    traceparent: null,
    state: of.state,
    stateReason: of.stateReason,
    failingSince: null,
    lastFailureAt: null,
    createdAt: of.createdAt,
    updatedAt: of.updatedAt,
  };
}
