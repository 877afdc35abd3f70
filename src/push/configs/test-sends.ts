import type { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import type { IdSource } from '../../common/ids.js';
import { EVERYTHING } from '../../auth/index.js';
import type { TaskStore } from '../../tasks/index.js';
import type { AttemptSender } from '../attempt-sender.js';
import type { DeliveryAttempt } from '../delivery.js';
import { errorClassOf, verdictOf } from '../domain/attempt-verdict.js';
import { testPayload, testWebhookId } from '../domain/test-event.js';
import type { PushConfig } from '../push-config.js';
import { webhookBody } from '../webhook-body.js';
import type { ManagedConfigStore, TestRecord } from './managed-config-store.js';

/** Tests under way in one process, per organization. */
const MAX_AT_ONCE = 10;
/** A test is tiny; this only keeps the shape of a body's limits. */
const LIMITS = { maxBytes: Number.MAX_SAFE_INTEGER, publicUrl: null };

/**
 * Tries webhooks: one request by the way every delivery takes (address guard, authentication, limits),
 * recorded like one, beside their lanes. It works on a paused or disabled webhook too.
 */
export class TestSends {
  /** Config uids under way, by organization. */
  private readonly underWay = new Map<string, Set<string>>();

  constructor(
    private readonly sender: AttemptSender,
    private readonly store: ManagedConfigStore,
    private readonly tasks: TaskStore,
    private readonly clock: Clock,
    private readonly ids: IdSource,
  ) {}

  /**
   * Resolves when the receiver has answered or its time is up. Throws HubError RATE_LIMITED while this
   * webhook, or ten others of its organization, are being tried.
   */
  async send(config: PushConfig): Promise<TestRecord> {
    const { organization, uid } = config;
    const others = this.underWay.get(organization) ?? new Set<string>();
    if (others.has(uid) || others.size >= MAX_AT_ONCE) {
      throw new HubError('RATE_LIMITED', 'A test is under way; wait until it has ended.');
    }
    this.underWay.set(organization, others.add(uid));
    try {
      return await this.attempt(config);
    } finally {
      others.delete(uid);
      if (others.size === 0) this.underWay.delete(organization);
    }
  }

  private async attempt(config: PushConfig): Promise<TestRecord> {
    const record = await this.tasks.record(config.taskId, EVERYTHING);
    if (!record) throw new HubError('NOT_FOUND', 'There is no such webhook.');
    const { body, contentType } = webhookBody(config.version, testPayload(record), LIMITS);
    const id = this.ids.next();
    const at = this.clock.now();
    const facts = {
      contentType,
      webhookId: testWebhookId(config.uid, id),
      at,
      attempt: 1,
      seq: record.seq,
      number: 0,
      gapSeq: null,
      test: true,
    };
    const answer = await this.sender.send(config, facts, body, new AbortController().signal);
    const { status, durationMs, response } = answer;
    const error = errorClassOf(status, answer.error);
    const attempt: DeliveryAttempt = { number: 1, at, durationMs, status, error, response };
    const delivered = verdictOf(status) === 'delivered';
    const said = status === null ? (answer.detail ?? 'no answer') : `HTTP ${status}`;
    const reason = delivered ? null : said;
    const test = { id, webhookId: facts.webhookId, seq: record.seq, delivered, reason, attempt };
    await this.store.recordTest(config, test);
    return test;
  }
}
