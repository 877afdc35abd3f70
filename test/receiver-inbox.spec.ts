import { describe, expect, it } from '@jest/globals';
import { classify, Inbox, type Delivery, type Seen } from '../receiver/index.js';

describe('an inbox', () => {
  const delivery = (id: string, sequence: number, deliveryNumber: number, gap?: number) =>
    ({ id, sequence, deliveryNumber, gap, taskId: 't1', stream: 't1' }) as Delivery;

  it('tells what is new, late, seen already, and whether something is missing', () => {
    let seen: Seen | undefined;
    const next = (...given: Parameters<typeof delivery>) => {
      const verdict = classify(delivery(...given), seen);
      seen = verdict.seen;
      return [verdict.kind, verdict.isMissing];
    };
    expect(next('a', 1, 1)).toEqual(['new', false]);
    expect(next('b', 3, 2)).toEqual(['new', false]);
    expect(next('b', 3, 2)).toEqual(['duplicate', false]);
    expect(next('c', 3, 3)).toEqual(['new', false]);
    expect(next('e', 6, 5)).toEqual(['new', true]);
    expect(next('d', 5, 4)).toEqual(['late', false]);
    expect(next('f', 8, 6, 7)).toEqual(['new', true]);
    expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);
  });

  it('knows what a replay sends again under new numbers, and misses nothing after it', () => {
    let { seen } = classify(delivery('a', 1, 1));
    const kinds = (['a', 'b', 'a', 'b', 'c'] as const).map((id, i) => {
      const sequence = { a: 1, b: 2, c: 3 }[id];
      const verdict = classify(delivery(id, sequence, i + 1), seen);
      seen = verdict.seen;
      return [verdict.kind, verdict.isMissing];
    });
    expect(kinds.map(([kind]) => kind)).toEqual([
      'duplicate',
      'new',
      'duplicate',
      'duplicate',
      'new',
    ]);
    expect(kinds.some(([, isMissing]) => isMissing)).toBe(false);
  });

  it('does not count tests', async () => {
    const inbox = new Inbox();
    const test = { ...delivery('x.test', 9, 0), isTest: true };
    const used: string[] = [];
    const use = (given: Delivery) => inbox.take(given, () => void used.push(given.id));
    expect(await use(test)).toMatchObject({ kind: 'test', isMissing: false });
    expect(await use(delivery('a', 1, 1))).toMatchObject({ kind: 'new' });
    expect(used).toEqual(['a']);
  });

  it('numbers the streams of two webhooks at one address apart', async () => {
    const inbox = new Inbox();
    const use = (stream: string, id: string, number: number) =>
      inbox.take({ ...delivery(id, number, number), stream }, () => undefined);
    await use('s1/t1', 'a', 1);
    expect(await use('s2/t1', 'b', 5)).toMatchObject({ kind: 'new', isMissing: false });
    expect(await use('s1/t1', 'c', 3)).toMatchObject({ isMissing: true });
  });

  it('hands on each once and one after the other, and again what could not be used', async () => {
    const inbox = new Inbox();
    const used: string[] = [];
    let fails = true;
    const use = (id: string, sequence: number) =>
      inbox.take(delivery(id, sequence, sequence), async () => {
        await new Promise((resolve) => setTimeout(resolve, sequence === 1 ? 20 : 0));
        if (id === 'b' && fails) throw new Error('no room');
        used.push(id);
      });
    const [a, b] = await Promise.allSettled([use('a', 1), use('b', 2), use('a', 1)]);
    expect([a.status, b.status, used]).toEqual(['fulfilled', 'rejected', ['a']]);
    fails = false;
    await use('b', 2);
    await use('b', 2);
    expect(used).toEqual(['a', 'b']);
  });
});
