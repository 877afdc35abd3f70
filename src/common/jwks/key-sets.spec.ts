import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Egress } from '../egress/egress.js';
import type { Clock } from '../clock.js';
import { KeySets } from './key-sets.js';

const key = (kid: string) => ({ kty: 'OKP', crv: 'Ed25519', x: 'x', kid });

describe('key sets', () => {
  function make() {
    const requested: string[] = [];
    const served = { keys: [key('a')] as object[], status: 200, hold: Promise.resolve() };
    let now = 0;
    const egress = {
      request: async (url: string) => {
        requested.push(url);
        await served.hold;
        const text = JSON.stringify({ keys: served.keys });
        const body = Readable.from([Buffer.from(text)]);
        const headers = { 'content-length': `${text.length}` };
        return { statusCode: served.status, headers, body };
      },
    } as unknown as Egress;
    const sets = new KeySets(egress, { now: () => new Date(now) } as Clock);
    const find = async (kid: string, url = 'u') => {
      const found = await sets.find(url, (keys) => keys.filter((one) => one['kid'] === kid));
      return found.length;
    };
    return { requested, served, find, wait: (ms: number) => (now += ms) };
  }

  it('are read once a minute', async () => {
    const { requested, find, wait } = make();
    expect([await find('a'), await find('a')]).toEqual([1, 1]);
    wait(59_999);
    expect([await find('a'), requested.length]).toEqual([1, 1]);
    wait(1);
    expect([await find('a'), requested.length]).toEqual([1, 2]);
  });

  it('are read again for a key that is not in them, though not at once', async () => {
    const { requested, served, find, wait } = make();
    await find('a');
    served.keys = [key('a'), key('b')];
    expect([await find('b'), requested.length]).toEqual([0, 1]);
    wait(10_000);
    expect([await find('b'), requested.length]).toEqual([1, 2]);
  });

  it('are read again when the clock was set back', async () => {
    const { requested, find, wait } = make();
    await find('a');
    wait(-3_600_000);
    expect([await find('a'), await find('a'), requested.length]).toEqual([1, 1, 2]);
  });

  it('trust a key no longer that has been withdrawn', async () => {
    const { served, find, wait } = make();
    await find('a');
    served.keys = [];
    wait(60_000);
    expect(await find('a')).toBe(0);
  });

  it('that cannot be read are an error, and a hundred are kept', async () => {
    const { requested, served, find } = make();
    served.status = 500;
    await expect(find('a')).rejects.toThrow('HTTP 500');
    served.status = 200;
    for (let i = 0; i < 101; i++) await find('a', `u${i}`);
    await find('a', 'u100');
    await find('a', 'u0');
    expect(requested.length).toBe(103);
  });

  it('are read once, however many ask', async () => {
    const { requested, served, find } = make();
    let go = (): void => undefined;
    served.hold = new Promise((resolve) => (go = resolve));
    const calls = [find('a'), find('a'), find('b')];
    go();
    expect([await Promise.all(calls), requested.length]).toEqual([[1, 1, 0], 1]);
  });

  it('that cannot be read are not asked for again at once', async () => {
    const { requested, served, find, wait } = make();
    served.status = 500;
    await expect(find('a')).rejects.toThrow('HTTP 500');
    await expect(find('a')).rejects.toThrow('HTTP 500');
    expect(requested.length).toBe(1);
    served.status = 200;
    wait(2000);
    expect([await find('a'), requested.length]).toEqual([1, 2]);
  });

  it('are used for an hour when they cannot be read again, without a wait', async () => {
    const { requested, served, find, wait } = make();
    await find('a');
    wait(60_000);
    served.status = 500;
    expect([await find('a'), requested.length]).toEqual([1, 2]);
    wait(2000);
    let go = (): void => undefined;
    served.hold = new Promise((resolve) => (go = resolve));
    expect([await find('a'), await find('a'), requested.length]).toEqual([1, 1, 3]);
    const other = find('b');
    go();
    await expect(other).rejects.toThrow('HTTP 500');
    wait(3_538_000);
    await expect(find('a')).rejects.toThrow('HTTP 500');
    served.status = 200;
    wait(2000);
    expect(await find('a')).toBe(1);
  });
});
