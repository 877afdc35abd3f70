import { describe, expect, it } from '@jest/globals';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Principal } from '../../auth/index.js';
import { SystemClock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import { configWith } from '../../config/index.js';
import { AnswerBudget, answerRules } from '../limits/answer-budget.js';
import { RequestBodyBudget } from '../limits/request-body-budget.js';
import { RequestCapacity } from '../limits/request-capacity.js';
import { messageLimitsOf } from '../limits/message-limits.js';
import { OpenCalls } from '../limits/open-calls.js';
import { Turns } from '../limits/turns.js';
import { Uploads } from '../limits/uploads.js';
import { readBody } from './read-request-body.js';

const MIB = 1024 * 1024;
const clock = new SystemClock();
const log = {} as Log;
const ann: Principal = { id: 'ann', organization: 'ann', scopes: new Set() };
const config = configWith({ server: { maxBodyBytes: MIB, bodyLimit: MIB } });

function capacityOf(): { capacity: RequestCapacity; budget: RequestBodyBudget } {
  const budget = new RequestBodyBudget(config);
  const parts = [new Turns(config), new OpenCalls(config), new Uploads(clock, log)] as const;
  const answers = new AnswerBudget(answerRules());
  return { budget, capacity: new RequestCapacity(budget, ...parts, answers, clock, log) };
}

function request(length?: number): PassThrough & IncomingMessage {
  const headers = length === undefined ? {} : { 'content-length': String(length) };
  return Object.assign(new PassThrough(), { headers }) as never;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('readBody', () => {
  it.each([
    ['that says how long it is', 200_000],
    ['that does not say how long it is', undefined],
  ])('gives no room to a body %s when its client left while it waited', async (_what, length) => {
    const { capacity, budget } = capacityOf();
    const before = await budget.reserve(ann, MIB);
    const raw = request(length);
    const reading = readBody(raw, ann, capacity, messageLimitsOf(config));
    reading.catch(() => undefined);
    raw.write(Buffer.alloc(100_000, 0x20));
    await turn();
    raw.destroy();
    await turn();
    before.free();
    await expect(reading).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    await turn();
    // All of it is there again: this one waits for nobody.
    (await budget.reserve(ann, MIB)).free();
    await budget.reserve(ann, MIB);
  });

  it('reads a body that comes in pieces, once there is room', async () => {
    const { capacity, budget } = capacityOf();
    const before = await budget.reserve(ann, MIB);
    const raw = request();
    const reading = readBody(raw, ann, capacity, messageLimitsOf(config));
    for (let i = 0; i < 4; i++) raw.write(Buffer.alloc(50_000, 0x20));
    raw.end();
    await turn();
    before.free();
    expect((await reading).bytes).toHaveLength(200_000);
  });

  it('reads a body of tiny pieces whole', async () => {
    const raw = request();
    const reading = readBody(raw, ann, capacityOf().capacity, messageLimitsOf(config));
    for (let i = 0; i < 4000; i++) raw.write(Buffer.from('[1, 2, 3]'.charAt(i % 9)));
    raw.end();
    const { bytes } = await reading;
    expect(bytes.toString()).toBe('[1, 2, 3]'.repeat(445).slice(0, 4000));
  });

  it('refuses a body of very many tiny pieces, and takes many larger ones', async () => {
    const send = (pieces: number, size: number): ReturnType<typeof readBody> => {
      const raw = request();
      const reading = readBody(raw, ann, capacityOf().capacity, messageLimitsOf(config));
      for (let i = 0; i < pieces; i++) raw.write(Buffer.alloc(size, 0x20));
      raw.end();
      return reading;
    };
    await expect(send(5000, 1)).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      message: 'The body comes in too small pieces: send chunks of at least 64 bytes.',
    });
    expect((await send(5000, 64)).bytes).toHaveLength(320_000);
  });
});
