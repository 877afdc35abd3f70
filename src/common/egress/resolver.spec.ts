import { describe, expect, it, jest } from '@jest/globals';
import { type ResolvedAddress, SystemResolver } from './resolver.js';

const FOUND: ResolvedAddress[] = [{ address: '192.0.2.1', family: 4 }];

/** Names answer when told to. */
class Names {
  readonly requested: string[] = [];
  private readonly answers = new Map<string, (ok: boolean) => void>();

  readonly look = (hostname: string): Promise<ResolvedAddress[]> => {
    this.requested.push(hostname);
    return new Promise((resolve, reject) => {
      this.answers.set(hostname, (ok) => {
        if (ok) resolve(FOUND);
        else reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
      });
    });
  };

  async answer(hostname: string, ok: boolean): Promise<void> {
    await pendingPromises();
    this.answers.get(hostname)!(ok);
    await pendingPromises();
  }
}

const pendingPromises = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Asks, and overlooks what becomes of it. */
function ask(resolver: SystemResolver, ...hostnames: string[]): void {
  for (const hostname of hostnames) resolver.resolve(hostname).catch(() => undefined);
}

async function resolved(resolver: SystemResolver, names: Names, hostname: string): Promise<void> {
  const answer = resolver.resolve(hostname);
  await names.answer(hostname, true);
  await answer;
}

describe('the system resolver', () => {
  it('asks about a name once for all who wait for it', async () => {
    const names = new Names();
    const resolver = new SystemResolver(4, names.look);
    const both = [resolver.resolve('a.example'), resolver.resolve('a.example')];
    await names.answer('a.example', true);
    expect(await Promise.all(both)).toEqual([FOUND, FOUND]);
    expect(names.requested).toEqual(['a.example']);
  });

  it('leaves a thread to names that have resolved, whatever else does not answer', async () => {
    const names = new Names();
    const resolver = new SystemResolver(4, names.look);
    await resolved(resolver, names, 'good.example');
    ask(resolver, 'n1.example', 'n2.example', 'n3.example', 'n4.example');
    await pendingPromises();
    ask(resolver, 'good.example');
    const requested = ['n1.example', 'n2.example', 'n3.example', 'good.example'];
    expect(names.requested.slice(1)).toEqual(requested);
    await names.answer('n2.example', true);
    expect(names.requested.at(-1)).toBe('n4.example');
  });

  it('gives names that did not resolve one thread of four', async () => {
    const names = new Names();
    const resolver = new SystemResolver(4, names.look);
    for (const bad of ['b1.example', 'b2.example']) {
      ask(resolver, bad);
      await names.answer(bad, false);
    }
    ask(resolver, 'b1.example', 'b2.example', 'new.example');
    await pendingPromises();
    expect(names.requested.slice(2)).toEqual(['b1.example', 'new.example']);
    await names.answer('b1.example', false);
    expect(names.requested.at(-1)).toBe('b2.example');
  });

  it('gives up the wait for a turn, and takes it for a passing trouble', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const names = new Names();
      const resolver = new SystemResolver(4, names.look);
      ask(resolver, 'n1.example', 'n2.example', 'n3.example');
      const late = resolver.resolve('n4.example');
      const fault = expect(late).rejects.toMatchObject({ code: 'EAI_AGAIN' });
      await pendingPromises();
      jest.advanceTimersByTime(5000);
      await fault;
      expect(names.requested).not.toContain('n4.example');
      await names.answer('n1.example', true);
      ask(resolver, 'n4.example');
      await pendingPromises();
      expect(names.requested).toContain('n4.example');
    } finally {
      jest.useRealTimers();
    }
  });
});
