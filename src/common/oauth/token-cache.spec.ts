import { beforeEach, describe, expect, it } from '@jest/globals';
import { TokenCache } from './token-cache.js';

let now: number;
let asked: number;
let answer: () => Promise<{ value: string; lifeMs: number }>;
let cache: TokenCache;

beforeEach(() => {
  now = 1_790_000_000_000;
  asked = 0;
  answer = () => Promise.resolve({ value: `token-${asked}`, lifeMs: 600_000 });
  cache = new TokenCache({ now: () => new Date(now) }, 2);
});

const get = (key = 'a') =>
  cache.get(key, () => {
    asked += 1;
    return answer();
  });
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('TokenCache', () => {
  it('asks for the next token at 80 % of the life of the one that is used meanwhile', async () => {
    await get();
    now += 479_000;
    expect(await get()).toBe('token-1');
    expect(asked).toBe(1);
    now += 1000;
    let grant = (): void => undefined;
    const next = { value: 'next', lifeMs: 600_000 };
    answer = () => new Promise((resolve) => (grant = () => resolve(next)));
    expect(await Promise.all([get(), get(), get()])).toEqual(['token-1', 'token-1', 'token-1']);
    expect(asked).toBe(2);
    grant();
    await settled();
    expect(await get()).toBe('next');
  });

  it('gives the token to its end when the next one cannot be got, and asks again after half a second', async () => {
    await get();
    now += 500_000;
    answer = () => Promise.reject(new Error('down'));
    expect(await get()).toBe('token-1');
    await settled();
    expect(await get()).toBe('token-1');
    expect(asked).toBe(2);
    now += 500;
    expect(await get()).toBe('token-1');
    expect(asked).toBe(3);
    now += 69_500;
    await expect(get()).rejects.toThrow('down');
  });

  it('does not keep a token without a life', async () => {
    answer = () => Promise.resolve({ value: `token-${asked}`, lifeMs: 0 });
    expect([await get(), await get()]).toEqual(['token-1', 'token-2']);
  });

  it('forgets the oldest beyond its number', async () => {
    for (const key of ['a', 'b', 'c', 'a']) await get(key);
    expect(asked).toBe(4);
    await get('c');
    expect(asked).toBe(4);
  });
});
