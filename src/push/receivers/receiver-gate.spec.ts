import { expect, it } from '@jest/globals';
import type { EgressRequest } from '../../common/egress/egress.js';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { loadConfig } from '../../config/load-config.js';
import { ReceiverChallenge } from './receiver-challenge.js';
import { ReceiverGate } from './receiver-gate.js';
import type { ReceiverStore, Sending } from './receiver-store.js';

it('forgets which receivers have agreed with their organization, and looks again after a minute', async () => {
  const clock = new SettableClock();
  let reads = 0;
  let hasAgreed = true;
  const store = {
    mayBeSent: () => Promise.resolve(false),
    admit: (_to: unknown, _bytes: number, _limits: unknown, until: Date) => {
      reads += 1;
      const wait = { of: 'receiver', reason: 'r', until, needsChallenge: false };
      return Promise.resolve(hasAgreed ? 'verified' : wait);
    },
  } as unknown as ReceiverStore;
  const { push } = loadConfig({});
  const challenge = { agrees: () => Promise.resolve(false) };
  const gate = new ReceiverGate(store, challenge, clock, { ...push, verification: 'required' });
  const target = (organization: string) => {
    const url = 'https://r.example';
    return {
      organization,
      principalId: 'ann',
      setBy: null,
      endpoint: `${organization} ${url}`,
      url,
    };
  };
  const waitOf = (organization: string) => gate.waitOf(target(organization));
  for (const organization of ['acme', 'other', 'acme', 'other']) {
    expect(await waitOf(organization)).toBeUndefined();
  }
  expect([reads, gate.maxConcurrencyOf(target('acme'), 50)]).toEqual([2, 50]);
  hasAgreed = false;
  gate.forget('acme');
  expect(await waitOf('acme')).toMatchObject({ reason: 'r' });
  expect(await waitOf('other')).toBeUndefined();
  // Another process has deleted it.
  clock.ms += 60_000;
  expect(gate.maxConcurrencyOf(target('other'), 50)).toBe(50);
  expect(await waitOf('other')).toMatchObject({ reason: 'r' });
  expect(gate.maxConcurrencyOf(target('other'), 50)).toBeLessThan(50);
});

it('does not count a receiver as asked when a stop has cut the question', async () => {
  const clock = new SettableClock();
  const takenBack: unknown[] = [];
  const store = {
    admit: (_to: unknown, _bytes: number, _limits: unknown, now: Date) =>
      Promise.resolve({ of: 'receiver', reason: 'r', until: now, needsChallenge: true }),
    takeBackChallenge: (...given: unknown[]) => Promise.resolve(void takenBack.push(given)),
  } as unknown as ReceiverStore;
  const request = (_organization: string, _url: string, { signal }: EgressRequest) =>
    new Promise<never>((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason as Error));
    });
  const limits = { connectTimeoutMs: 60_000, timeoutMs: 60_000 };
  const challenge = new ReceiverChallenge({ request }, limits, { base: 'https://hub.example' });
  const { push } = loadConfig({});
  const gate = new ReceiverGate(store, challenge, clock, { ...push, verification: 'optional' });
  const url = 'https://r.example';
  const stop = new AbortController();
  const target = {
    organization: 'acme',
    principalId: 'ann',
    setBy: null,
    endpoint: `acme ${url}`,
    url,
  };
  const admitted = gate.admit(target, 1, stop.signal);
  await new Promise(setImmediate);
  stop.abort();
  expect(await admitted).toMatchObject({ reason: 'r' });
  expect(takenBack).toEqual([[`acme ${url}`, clock.now()]]);
});

it('asks few receivers because of one principal, however many it names', async () => {
  const clock = new SettableClock();
  const requested: string[] = [];
  const store = {
    admit: (_to: unknown, _bytes: number, _limits: unknown, now: Date, needsChallenge: boolean) =>
      Promise.resolve({ of: 'principal', reason: 'r', until: now, needsChallenge }),
  } as unknown as ReceiverStore;
  const challenge = {
    agrees: (_organization: string, url: string) => Promise.resolve(requested.push(url) < 0),
  };
  const { push } = loadConfig({});
  const gate = new ReceiverGate(store, challenge, clock, { ...push, verification: 'optional' });
  const admit = (principalId: string, n: number) => {
    const origin = `https://r${n}.example`;
    const target = { organization: 'acme', principalId, setBy: null, endpoint: origin };
    return gate.admit({ ...target, url: origin }, 1);
  };
  for (let n = 0; n < 100; n++) expect(await admit('ann', n)).toMatchObject({ reason: 'r' });
  expect(requested).toHaveLength(20);
  await admit('bob', 1000);
  expect(requested).toHaveLength(21);
  clock.ms += 10 * 60_000;
  await admit('ann', 2000);
  expect(requested).toHaveLength(22);
  // A clock that was set back makes nobody wait until it has caught up.
  for (let n = 3000; n < 3100; n++) await admit('ann', n);
  expect(requested).toHaveLength(41);
  clock.ms -= 60 * 60_000;
  await admit('ann', 4000);
  expect(requested).toHaveLength(42);
});

it('counts what is sent for the principal that set a webhook, whosever the task is', async () => {
  const counted: string[] = [];
  const store = {
    mayBeSent: ({ principalId }: Sending) => Promise.resolve(counted.push(principalId) > 0),
    admit: ({ principalId }: Sending) => {
      counted.push(principalId);
      return Promise.resolve('admitted');
    },
  } as unknown as ReceiverStore;
  const challenge = { agrees: () => Promise.resolve(false) };
  const { push } = loadConfig({});
  const gate = new ReceiverGate(store, challenge, new SettableClock(), push);
  const url = 'https://r.example';
  const target = { organization: 'acme', principalId: 'ann', endpoint: `acme ${url}`, url };
  for (const setBy of ['bob', null]) {
    await gate.waitOf({ ...target, setBy });
    await gate.admit({ ...target, setBy }, 1);
  }
  expect(counted).toEqual(['bob', 'bob', 'ann', 'ann']);
});
