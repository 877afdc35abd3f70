import { beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { SecretLockedError } from '../../common/secret-box.js';
import { SecretUnavailableError } from '../../common/secret-references/secret-references.js';
import { SystemIdSource } from '../../common/ids.js';
import { AttemptSender, type SendFacts } from '../sending/attempt-sender.js';
import { NO_OBSERVER, OPEN_GATE } from './fake-gate.js';
import type { OpenDelivery } from './delivery.js';
import { LOG_START } from './domain/delivery-plan.js';
import { SendBudget } from './send-budget.js';
import { OverBudgetError } from '../../common/byte-budget.js';
import { DeliveryReader } from './delivery-reader.js';
import { leaseMs } from './stream-turn.js';
import { type StreamPermit, StreamRunner } from './stream-runner.js';
import {
  type DeliveryStream,
  DeliveryStreamStore,
  type AttemptRecord,
} from './delivery-stream-store.js';
import type { TaskWebhook } from '../registration/webhook.js';
import type { WebhookAnswer } from '../sending/webhook-sender.js';

const NOW = 1_000_000;
const SETTINGS = {
  scheduleMs: [5000, 60_000],
  jitter: 0,
  retryAfterMaxMs: 3_600_000,
  timeoutMs: 1000,
  disableAfterMs: 86_400_000,
};
/** The latest time at which an answer is sure to come within the lease. */
const LAST_CHANCE = NOW + leaseMs(SETTINGS) - SETTINGS.timeoutMs;
const SILENT = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const NEVER = new AbortController().signal;
const ALWAYS = { regain: () => true, lend: () => false };
const DELIVERED = { status: 200, error: null, detail: null, response: '', durationMs: 1 };

const webhook = { streamId: 'cfg', taskId: 't1', configId: 'c', failingSince: null } as TaskWebhook;
const delivery: OpenDelivery = {
  id: 'd1',
  streamId: 'l1',
  taskId: 't1',
  configId: 'c',
  endpoint: 'acme https://hooks.example',
  organization: 'acme',
  principalId: 'alice',
  number: 1,
  seq: 1,
  kind: 'event',
  artifactId: null,
  webhookId: 'cfg.1',
  state: 'pending',
  attempts: 0,
  tries: 0,
  rejections: 0,
  redelivered: false,
  contentType: 'application/a2a+json',
  nextAttemptAt: null,
  lastStatus: null,
  reason: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  body: '{"as":"made"}',
};

describe('StreamRunner', () => {
  let clock: SettableClock;
  let open: OpenDelivery;
  let held: boolean;
  let answer: Partial<WebhookAnswer>;
  /** How long the database takes to tell whether the claim holds. */
  let databaseMs: number;
  /** How long a receiver takes to say whether it agrees. */
  let askedMs: number;
  let sent: { facts: SendFacts; body: string }[];
  let recorded: AttemptRecord[];
  let released: number[];
  /** When the next unclaimed stream is due. */
  let nextDue: Date | null;
  /** How many more steps the stream has once one is recorded. */
  let more: number;
  let crowded: boolean;
  /** Why the secret of the webhook cannot be had. */
  let locked: SecretLockedError | undefined;
  let warned: object[];
  let runner: StreamRunner | undefined;
  let bodies: SendBudget;
  /** The body of the entry of the log. */
  let drafted: string | null;
  beforeEach(() => {
    bodies = new SendBudget({ limit: 1024 * 1024, share: 1024 * 1024, patienceMs: 1 });
    crowded = false;
    [clock, open, held, answer, databaseMs] = [new SettableClock(NOW), delivery, true, {}, 0];
    [sent, recorded, released, askedMs] = [[], [], [], 0];
    [nextDue, more, drafted] = [null, 0, delivery.body];
    [locked, warned, runner] = [undefined, [], undefined];
  });

  const looked = <T>(value: T): Promise<T> => {
    clock.ms += databaseMs;
    return Promise.resolve(value);
  };
  const asked = (): Promise<undefined> => {
    clock.ms += askedMs;
    return Promise.resolve(undefined);
  };
  const streams = Object.assign(
    Object.create(DeliveryStreamStore.prototype) as DeliveryStreamStore,
    {
      firstOpen: async (_: string, __: number, reservation: (bytes: number) => Promise<void>) => {
        await reservation(open.body!.length);
        return looked(open);
      },
      isClaimed: () => looked(held),
      recordAttempt: (
        stream: DeliveryStream,
        attemptRecord: AttemptRecord,
        now: Date,
        leaseUntil: Date,
      ) => {
        recorded.push(attemptRecord);
        return Promise.resolve(more-- > 0 ? { ...stream, leaseUntil } : 'idle');
      },
      nextDueAt: () => Promise.resolve(nextDue),
      release: (_: DeliveryStream, dueAt: Date) => {
        released.push(dueAt.getTime());
        return Promise.resolve();
      },
    },
  );
  const { seq, kind, artifactId, webhookId, contentType } = delivery;
  const reader = Object.assign(Object.create(DeliveryReader.prototype) as DeliveryReader, {
    next: () =>
      crowded
        ? Promise.reject(new OverBudgetError())
        : Promise.resolve({
            nextSeq: 2,
            cursor: LOG_START,
            deliveries: [{ seq, kind, artifactId, webhookId, body: drafted, contentType }],
            ready: { ...delivery, body: drafted },
          }),
    render: () => Promise.reject(new Error('there are bytes already')),
    forget: () => undefined,
  });
  const sender = Object.assign(Object.create(AttemptSender.prototype) as AttemptSender, {
    send: (_: TaskWebhook, facts: SendFacts, bytes: string) => {
      if (locked !== undefined) return Promise.reject(locked);
      sent.push({ facts, body: bytes });
      return Promise.resolve({ ...DELIVERED, retryAfterMs: null, ...answer });
    },
  });

  /** One turn of a stream with `open` in hand, or with an entry of the log before it. */
  async function run(
    changes: Partial<DeliveryStream> = {},
    permit: StreamPermit = ALWAYS,
  ): Promise<void> {
    const stream: DeliveryStream = {
      id: 'l1',
      webhook,
      endpoint: delivery.endpoint,
      dueSince: null,
      probeUntil: null,
      isEarly: false,
      isPrefetched: false,
      epoch: 1,
      leaseUntil: new Date(NOW + leaseMs(SETTINGS)),
      nextSeq: 1,
      headSeq: 1,
      cursor: LOG_START,
      open: 1,
      lastNumber: 1,
      gapSeq: null,
      ...changes,
    };
    const ids = new SystemIdSource();
    const log = { ...SILENT, warn: (fields: object) => void warned.push(fields) };
    runner ??= new StreamRunner(
      streams,
      reader,
      sender,
      clock,
      ids,
      log,
      SETTINGS,
      NO_OBSERVER,
      { ...OPEN_GATE, admit: asked },
      bodies,
    );
    await runner.run(stream, permit, NEVER, NEVER);
  }

  it('warns that webhooks wait for a reference once in ten minutes, not for each stream', async () => {
    locked = new SecretUnavailableError('The secret vault:a#b cannot be read.');
    for (let i = 0; i < 3; i += 1) await run({ id: `l${i}`, leaseUntil: new Date(1e9) });
    expect(warned).toEqual([
      { reason: 'The secret vault:a#b cannot be read.', taskId: 't1', configId: 'c' },
    ]);
    expect(released).toEqual(Array(3).fill(NOW + 30_000));
    locked = new SecretUnavailableError('The secret vault:c#d cannot be read.');
    await run({ leaseUntil: new Date(1e9) });
    expect(warned).toHaveLength(2);
    clock.ms += 600_000;
    await run({ leaseUntil: new Date(1e9) });
    expect(warned).toHaveLength(3);
    // Keys that are missing are told of elsewhere.
    locked = new SecretLockedError('k1', 'The key k1 is missing.');
    await run({ leaseUntil: new Date(1e9) });
    expect(warned).toHaveLength(3);
    expect(sent).toEqual([]);
  });

  it('gives back a stream that gets no permit, at the time it was due', async () => {
    const none = { regain: () => Promise.resolve(false), lend: () => false };
    await run({ isPrefetched: true, dueSince: new Date(7) }, none);
    await run({ isPrefetched: true, dueSince: null }, none);
    expect([released, sent]).toEqual([[7, NOW], []]);
  });

  it.each([
    [200, true],
    [422, true],
    [503, false],
  ])(
    'lends its permit before HTTP %d is recorded, if that is an answer',
    async (status, isLent) => {
      answer = { status };
      const lent: unknown[] = [];
      const lend = (ms: number | null): boolean => {
        lent.push([ms === null, recorded.length]);
        return true;
      };
      await run({}, { regain: () => true, lend });
      expect(recorded).toHaveLength(1);
      expect(lent).toEqual([[!isLent, 0]]);
    },
  );

  it.each([
    ['that is stored', 1],
    ['of the log', 0],
  ])('sends nothing %s when its lease could end before the answer', async (_, inHand) => {
    databaseMs = LAST_CHANCE - NOW;
    await run({ open: inHand });
    expect([sent.length, recorded.length, released]).toEqual([1, 1, []]);
    [clock, databaseMs, runner] = [new SettableClock(NOW), databaseMs + 1, undefined];
    await run({ open: inHand });
    expect([sent.length, recorded.length, released]).toEqual([1, 1, [LAST_CHANCE + 1]]);
  });

  it('sends nothing when its receiver took so long to say whether it agrees', async () => {
    askedMs = LAST_CHANCE - NOW;
    await run();
    expect([sent.length, released]).toEqual([1, []]);
    [clock, askedMs, runner] = [new SettableClock(NOW), askedMs + 1, undefined];
    await run();
    expect([sent.length, released]).toEqual([1, [LAST_CHANCE + 1]]);
  });

  it('sends nothing of the log under a claim that is over', async () => {
    held = false;
    await run({ open: 0 });
    expect([sent, recorded, released]).toEqual([[], [], []]);
  });

  it('gives the probe of its endpoint back with a claim that is over', async () => {
    held = false;
    await run({ open: 0, probeUntil: new Date(NOW + 2000) });
    expect([sent, recorded, released]).toEqual([[], [], [NOW]]);
  });

  it('rests for a moment while large tasks of other streams are read', async () => {
    crowded = true;
    await run({ open: 0 });
    expect([sent, recorded, released]).toEqual([[], [], [NOW + 1000]]);
  });

  it.each([
    ['that is stored', 1],
    ['of the log', 0],
  ])('sends no large body %s while there is no reservation for it', async (_, inHand) => {
    const large = 'x'.repeat(512 * 1024);
    open = { ...delivery, body: large };
    drafted = large;
    await bodies.during('acme', async (first) => {
      await first.reserve(1024 * 1024);
      await bodies.during('other', async (beyond) => {
        await beyond.reserve(1024 * 1024);
        await run({ open: inHand });
      });
    });
    expect([sent, recorded, released]).toEqual([[], [], [NOW + 1000]]);
    await run({ open: inHand });
    expect([sent.length, recorded.length, bodies.held]).toEqual([1, 1, 0]);
  });

  it('makes way, due at once, when others have waited for a number of its deliveries', async () => {
    more = 1000;
    nextDue = new Date(NOW);
    await run();
    expect([recorded.length, released]).toEqual([32, [NOW]]);
  });

  it('makes way after a time when its receiver is slow', async () => {
    [more, nextDue, databaseMs] = [1000, new Date(NOW), 900];
    await run();
    expect([recorded.length, released]).toEqual([3, [NOW + 2700]]);
  });

  it.each([
    ['none', null],
    ['a stream that is due later', new Date(NOW + 60_000)],
  ])('keeps its place while there waits %s', async (_, due) => {
    [more, nextDue] = [99, due];
    await run();
    expect([recorded.length, released]).toEqual([100, []]);
  });

  it('makes each attempt at its own time, with the id and the bytes of the first', async () => {
    answer = { status: 503 };
    await run();
    clock.ms += 1000;
    open = { ...delivery, state: 'retrying', attempts: 1, tries: 1 };
    await run();
    expect(
      sent.map(({ facts, body: bytes }) => [facts.at.getTime(), facts.attempt, bytes]),
    ).toEqual([
      [NOW, 1, delivery.body],
      [NOW + 1000, 2, delivery.body],
    ]);
    expect(sent.map(({ facts }) => facts.webhookId)).toEqual(['cfg.1', 'cfg.1']);
  });

  it('waits for the time of a retry, unless it is to try now for the sake of its endpoint', async () => {
    const later = NOW + 9000;
    open = {
      ...delivery,
      state: 'retrying',
      attempts: 1,
      tries: 1,
      nextAttemptAt: new Date(later),
    };
    await run();
    expect([sent.length, released]).toEqual([0, [later]]);
    answer = { status: 503 };
    await run({ isEarly: true });
    // It uses up no try.
    expect(recorded).toMatchObject([
      { result: { state: 'retrying', at: new Date(later), isEarly: true } },
    ]);
  });

  it('waits as long as the receiver asks; 429 and 503 ask for the whole endpoint', async () => {
    for (const status of [429, 503, 500]) {
      answer = { status, retryAfterMs: 30_000 };
      await run();
    }
    expect(recorded.map(({ result }) => result)).toMatchObject(
      Array(3).fill({ state: 'retrying', at: new Date(NOW + 30_000) }),
    );
    const waits = [30_000, 30_000, null].map((retryAfterMs) => ({ outcome: { retryAfterMs } }));
    expect(recorded).toMatchObject(waits);
  });

  it('sends the gap with what follows it, not with what is sent again', async () => {
    await run({ gapSeq: 7 });
    open = { ...delivery, redelivered: true };
    await run({ gapSeq: 7 });
    expect(sent.map(({ facts }) => facts.gapSeq)).toEqual([7, null]);
  });
});
