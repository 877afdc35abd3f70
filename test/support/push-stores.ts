import type { PrincipalStatus } from '../../src/auth/domain/hold.js';
import { PrincipalHolds, type Visibility } from '../../src/auth/index.js';
import { SqlPrincipalStore } from '../../src/auth/persistence/sql-principal.store.js';
import { type IdSource, SystemIdSource } from '../../src/common/ids.js';
import type { Log } from '../../src/common/logger.js';
import type { Database } from '../../src/database/database.js';
import type { DeliveryStore } from '../../src/push/records/delivery-store.js';
import type {
  DeliveryDraft,
  DeliveryStream,
  DeliveryStreamStore,
  StepResult,
} from '../../src/push/delivery/delivery-stream-store.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import type { EndpointStore } from '../../src/push/receivers/endpoint-store.js';
import { EventAnnouncer } from '../../src/push/receivers/event-announcer.js';
import { SqlDeliveryStore } from '../../src/push/records/persistence/sql-delivery.store.js';
import { SqlWaitingStreams } from '../../src/push/delivery/persistence/sql-waiting-streams.js';
import { SqlEndpointStore } from '../../src/push/receivers/persistence/sql-endpoint.store.js';
import { SqlDeliveryStreamStore } from '../../src/push/delivery/persistence/sql-delivery-stream.store.js';
import { SqlWebhookStore } from '../../src/push/webhooks/persistence/sql-webhook.store.js';
import { SqlPushRetentionStore } from '../../src/push/records/persistence/sql-push-retention.store.js';
import type { WebhookStore } from '../../src/push/webhooks/webhook-store.js';
import type { PushRetentionStore } from '../../src/push/records/push-retention-store.js';
import type {
  TaskWebhook,
  TaskWebhookDraft,
  WebhookChange,
} from '../../src/push/registration/webhook.js';
import { changed, paused, resumed } from '../../src/push/webhooks/webhook-decisions.js';
import type { CleanupStore } from '../../src/push/delivery/cleanup-store.js';
import { SqlCleanupStore } from '../../src/push/delivery/persistence/sql-cleanup.store.js';
import { SqlSubscriptionStreamStore } from '../../src/push/delivery/persistence/sql-subscription-stream.store.js';
import type { SubscriptionStreamStore } from '../../src/push/delivery/subscription-stream-store.js';
import { SqlSubscriptionStore } from '../../src/push/registration/persistence/sql-subscription.store.js';
import type { SubscriptionStore } from '../../src/push/registration/subscription-store.js';
import { SqlTaskPositions } from '../../src/tasks/persistence/sql-task-positions.js';
import { testSecrets } from './secret-box.js';

/** How long a principal may be without a valid key. */
export const KEYLESS_GRACE_MS = 60_000;

const STARTED_AT = Date.now();

/** Their time begins with the tests, in 1970: whatever clock a test has is not behind them by years. */
class EarlyIds extends SystemIdSource {
  override next(): string {
    const id = super.next();
    const ms = parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - STARTED_AT;
    const hex = ms.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
  }
}

/** A log nobody reads. */
export const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Endpoints may have all their places at once, and none is left alone for long. */
export const ENDPOINT_RULES: EndpointRules = {
  failuresToOpen: 1000,
  pauseMs: 50,
  maxPauseMs: 200,
  jitter: 0,
  startConcurrency: 10,
  maxConcurrency: 10,
  retryAfterMaxMs: 60_000,
  disableAfterMs: 3_600_000,
};

/** Principals that were not made lack nothing: most tests of webhooks make none. */
class AnyPrincipals extends SqlPrincipalStore {
  override *statusesIn(
    ...[tx, ids]: Parameters<SqlPrincipalStore['statusesIn']>
  ): ReturnType<SqlPrincipalStore['statusesIn']> {
    const made = yield* super.statusesIn(tx, ids);
    const found = new Map<string, PrincipalStatus>(ids.map((id) => [id, LACKS_NOTHING]));
    for (const [id, status] of made) found.set(id, status);
    return found;
  }
}

const LACKS_NOTHING: PrincipalStatus = {
  organization: 'acme',
  disabledAt: null,
  organizationDisabledAt: null,
  keylessSince: null,
  narrowSince: null,
  plainSince: null,
};

/** The stores of webhooks on one database, with tasks as far as those look at them. */
export class PushStores {
  readonly ids: IdSource = new EarlyIds();
  readonly webhooks: WebhookStore;
  readonly subscriptions: SubscriptionStore;
  readonly subscriptionStreams: SubscriptionStreamStore;
  readonly cleanup: CleanupStore;
  readonly streams: DeliveryStreamStore;
  readonly deliveries: DeliveryStore;
  readonly retention: PushRetentionStore;
  readonly endpoints: EndpointStore;
  readonly principals: SqlPrincipalStore;
  readonly holds: PrincipalHolds;
  readonly news = new EventAnnouncer(SILENT);

  constructor(
    readonly database: Database,
    rules: Partial<EndpointRules> = {},
  ) {
    const tasks = new SqlTaskPositions();
    this.webhooks = new SqlWebhookStore(database, this.ids, tasks);
    this.subscriptions = new SqlSubscriptionStore(database);
    this.subscriptionStreams = new SqlSubscriptionStreamStore(database, this.ids, tasks);
    this.cleanup = new SqlCleanupStore(database, this.ids);
    const all = { ...ENDPOINT_RULES, ...rules };
    this.principals = new SqlPrincipalStore(database);
    this.holds = new PrincipalHolds(new AnyPrincipals(database), {
      keylessGraceMs: KEYLESS_GRACE_MS,
    });
    this.streams = new SqlDeliveryStreamStore(database, this.ids, all, this.news, this.holds);
    this.endpoints = new SqlEndpointStore(database, new SqlWaitingStreams(database));
    this.deliveries = new SqlDeliveryStore(database);
    this.retention = new SqlPushRetentionStore(database, this.ids, tasks);
  }

  /** A task whose log has `seq` entries. */
  async addTask(
    seq: number,
    id = this.ids.next(),
    traceparent: string | null = null,
  ): Promise<string> {
    await this.database.write((tx) =>
      tx.run(
        `INSERT INTO tasks (id, context_id, principal_id, organization, state, status_at, seq,
           version, checkpoint_seq, route, allow_reply, created_at, updated_at, traceparent)
         VALUES (?, 'ctx', 'alice', 'acme', 2, 0, ?, 1, 0, '{}', 0, 0, 0, ?)`,
        [id, seq, traceparent],
      ),
    );
    return id;
  }

  /** An endpoint whose breaker is open; `columns` are its `probe_at, probe_until`, as SQL. */
  openEndpoint(endpoint: string, columns: string): Promise<unknown> {
    return this.database.write((tx) =>
      tx.run(
        `INSERT INTO push_endpoints (endpoint, organization, state, failures, concurrency, probes,
           enqueues, created_at, updated_at, opened_at, probe_at, probe_until)
         VALUES (?, 'acme', 'failing', 9, 1, 9, 0, 0, 0, 0, ${columns})`,
        [endpoint],
      ),
    );
  }

  draft(changes: Partial<TaskWebhookDraft> = {}): TaskWebhookDraft {
    const url = changes.url ?? 'https://hooks.example/a';
    return {
      streamId: this.ids.next(),
      configId: null,
      principalId: 'alice',
      organization: 'acme',
      url,
      endpoint: `acme ${new URL(url).origin}`,
      version: '1.0',
      authScheme: 'bearer',
      authNames: ['Bearer'],
      authProfile: null,
      sealedCredentials: testSecrets().seal('secret'),
      sealedToken: null,
      sealedSigningKeys: null,
      events: 'changes',
      fingerprint: url,
      verified: true,
      traceparent: null,
      ...changes,
    };
  }

  /** A webhook on a task that has just begun, its stream at the start of the log. */
  async freshStream(changes: Partial<TaskWebhookDraft> = {}, now = new Date(0)): Promise<string> {
    const taskId = await this.addTask(2);
    await this.webhooks.set(taskId, this.draft(changes), { now, repeated: 'leave' });
    return taskId;
  }

  /** As its owner does; undefined when it is not there for `visibility`. */
  async pause(
    streamId: string,
    visibility: Visibility,
    now: Date,
  ): Promise<TaskWebhook | undefined> {
    const next = await this.webhooks.update(streamId, visibility, paused, now);
    return next && this.webhooks.find(streamId, visibility);
  }

  async resume(
    streamId: string,
    visibility: Visibility,
    now: Date,
  ): Promise<TaskWebhook | undefined> {
    const next = await this.webhooks.update(streamId, visibility, resumed, now);
    return next && this.webhooks.find(streamId, visibility);
  }

  /** One that has been `seen` with this fingerprint. */
  async change(
    streamId: string,
    visibility: Visibility,
    seen: string,
    change: WebhookChange,
    now: Date,
  ): Promise<TaskWebhook | undefined> {
    const next = await this.webhooks.update(streamId, visibility, changed(seen, change), now);
    return next && this.webhooks.find(streamId, visibility);
  }

  drop(streamId: string, visibility: Visibility, now: Date): Promise<boolean> {
    return this.webhooks.remove(streamId, visibility, () => undefined, now);
  }

  async claimOne(now: Date, owner = 'w1', leaseMs = 30_000): Promise<DeliveryStream> {
    const streams = await this.streams.claim(owner, now, leaseMs, { free: 1, perEndpoint: 10 });
    if (!streams[0]) throw new Error('no stream is due');
    return streams[0];
  }

  async row(taskId: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.database.read<Record<string, unknown>>(
      'SELECT * FROM push_delivery_streams WHERE task_id = ?',
      [taskId],
    );
    return row;
  }
}

/** What is to be sent of log entry `seq`. */
export function deliveryOf(seq: number, changes: Partial<DeliveryDraft> = {}): DeliveryDraft {
  return {
    seq,
    kind: 'event',
    artifactId: null,
    webhookId: `cfg.${seq}`,
    body: `{"seq":${seq}}`,
    contentType: 'application/a2a+json',
    ...changes,
  };
}

/** The stream after a step that must have left it in hand. */
export function inHand(step: StepResult): DeliveryStream {
  if (typeof step === 'string') throw new Error(`the stream ${step}`);
  return step;
}
