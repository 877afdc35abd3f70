import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { IdSource } from '../../common/ids.js';
import type { TaskWebhook } from '../registration/webhook.js';
import { type TestedTask, testPayload, testWebhookId } from './domain/test-event.js';
import { type ShownRequest, shownRequest } from './domain/shown-request.js';
import { webhookBody } from './webhook-body.js';
import { ReceiverGate } from '../receivers/receiver-gate.js';
import { AttemptSender } from './attempt-sender.js';
import type { WebhookAnswer } from './webhook-sender.js';

/** Tests under way in one process, per organization. */
const MAX_AT_ONCE = 10;
/** A test is tiny; this only keeps the shape of a body's limits. */
const LIMITS = { maxBytes: Number.MAX_SAFE_INTEGER, publicUrl: null };

export interface SentTest {
  readonly id: string;
  readonly webhookId: string;
  readonly at: Date;
  readonly answer: WebhookAnswer;
  /** The last request that was sent; null: its proof could not be made. */
  readonly request: ShownRequest | null;
}

/** Tries webhooks: one request by the way every delivery takes (address guard, authentication, limits). */
@Injectable()
export class TestSender {
  /** Ids of webhooks under test, by organization. */
  private readonly underWay = new Map<string, Set<string>>();

  constructor(
    private readonly sender: AttemptSender,
    private readonly clock: Clock,
    private readonly ids: IdSource,
    private readonly gate: ReceiverGate,
  ) {}

  /**
   * Resolves when the receiver has answered or its time is up. Throws HubError RATE_LIMITED while this
   * webhook, or ten others of its organization, are being tried, or its receiver may get nothing now.
   */
  async send(webhook: TaskWebhook, task: TestedTask, seq: number): Promise<SentTest> {
    const { organization, streamId } = webhook;
    const others = this.underWay.get(organization) ?? new Set<string>();
    if (others.has(streamId) || others.size >= MAX_AT_ONCE) {
      throw new HubError('RATE_LIMITED', 'A test is under way; wait until it has ended.', {
        refusal: { limit: { kind: 'webhookTests', organization } },
      });
    }
    this.underWay.set(organization, others.add(streamId));
    try {
      return await this.attempt(webhook, task, seq);
    } finally {
      others.delete(streamId);
      if (others.size === 0) this.underWay.delete(organization);
    }
  }

  private async attempt(webhook: TaskWebhook, task: TestedTask, seq: number): Promise<SentTest> {
    const { body, contentType } = webhookBody(webhook.version, testPayload(task), LIMITS);
    const wait = await this.gate.admit(webhook, Buffer.byteLength(body));
    if (wait) {
      throw new HubError('RATE_LIMITED', `It cannot be tried now: ${wait.reason}.`, {
        refusal: { limit: { kind: 'webhookTests' } },
      });
    }
    const id = this.ids.next();
    const at = this.clock.now();
    const webhookId = testWebhookId(webhook.streamId, id);
    const place = { attempt: 1, seq, number: 0, gapSeq: null };
    const facts = { contentType, webhookId, at, ...place, test: true };
    let request: ShownRequest | null = null;
    const { signal } = new AbortController();
    const answer = await this.sender.send(webhook, facts, body, signal, (sent) => {
      request = shownRequest(sent);
    });
    return { id, webhookId, at, answer, request };
  }
}
