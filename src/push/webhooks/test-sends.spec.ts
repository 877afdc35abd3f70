import { beforeEach, expect, it } from '@jest/globals';
import { SystemClock } from '../../common/clock.js';
import { SystemIdSource } from '../../common/ids.js';
import type { Log } from '../../common/logger.js';
import { TaskState } from '../../protocol/a2a.js';
import type { TaskRecord, TaskStore } from '../../tasks/index.js';
import type { DeliveryStreamStore } from '../delivery/delivery-stream-store.js';
import type { PushWakeup } from '../delivery/push-wakeup.js';
import type { Subscription, TaskWebhook } from '../registration/webhook.js';
import type { SentTest, TestSender } from '../sending/test-sender.js';
import { TestSends } from './test-sends.js';
import type { WebhookStore } from './webhook-store.js';

const AT = new Date(0);
const PLACE = { organization: 'acme', endpoint: 'acme https://hooks.example:443' };
const WEBHOOK = { ...PLACE, streamId: 's', taskId: 't', configId: 'c' } as TaskWebhook;
const SUBSCRIPTION = { ...PLACE, id: 'sub', scope: 'own' } as Subscription;
const TASK = { id: 't', contextId: 'x', state: TaskState.TASK_STATE_WORKING, statusAt: AT, seq: 7 };

let done: string[];
let status: number;
let away: Error | null;

beforeEach(() => {
  done = [];
  status = 204;
  away = null;
});

function sends(): TestSends {
  const answer = () => ({
    ...{ status, error: null, detail: null, retryAfterMs: null, response: '', durationMs: 3000 },
    isGuarded: true,
  });
  const send = (): Promise<SentTest> =>
    Promise.resolve({ id: 'd', webhookId: 's.test.d', at: AT, answer: answer(), request: null });
  const log: Partial<Log> = { warn: (facts) => void done.push(`logged ${JSON.stringify(facts)}`) };
  return new TestSends(
    { send } as unknown as TestSender,
    { recordTest: () => Promise.resolve(void done.push('recorded')) } as unknown as WebhookStore,
    { record: () => Promise.resolve(TASK as TaskRecord) } as unknown as TaskStore,
    new SystemClock(),
    new SystemIdSource(),
    {
      recordTest: () => {
        if (away) return Promise.reject(away);
        return Promise.resolve(void done.push('receiver'));
      },
    } as unknown as DeliveryStreamStore,
    { notify: () => done.push('woken') } as unknown as PushWakeup,
    log as Log,
  );
}

it('records a test before its receiver, which is there again when it took it', async () => {
  expect(await sends().ofTask(WEBHOOK)).toMatchObject({ delivered: true, reason: null });
  expect(done).toEqual(['recorded', 'receiver', 'woken']);
});

it('leaves its receiver alone when it did not take the test', async () => {
  status = 500;
  expect(await sends().ofTask(WEBHOOK)).toMatchObject({ delivered: false, reason: 'HTTP 500' });
  expect((await sends().ofSubscription(SUBSCRIPTION)).answer).toMatchObject({ status: 500 });
  expect(done).toEqual(['recorded']);
});

it('answers with what came of a test although its receiver could not be updated', async () => {
  away = new Error('the database is away');
  expect(await sends().ofTask(WEBHOOK)).toMatchObject({ delivered: true });
  expect((await sends().ofSubscription(SUBSCRIPTION)).answer).toMatchObject({ status: 204 });
  const logged = expect.stringMatching(/^logged .*"endpoint":"acme https:\/\/hooks.example:443"/);
  expect(done).toEqual(['recorded', logged, logged]);
});
