import { expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import { ID } from '../../common/http/text-forms.js';
import type { SubscriptionDraft } from '../registration/webhook.js';
import { DeclaredSubscriptions } from './declared-subscriptions.service.js';

const written = Array.from({ length: 40 }, (_, n) => ({
  ...{ id: `s${n}`, organization: 'acme', url: `https://r${n}.example/` },
}));

it('stores those of each organization for an owner of their own, which no principal can be', async () => {
  const owners: string[] = [];
  const store = {
    all: () => Promise.resolve([]),
    get: () => Promise.resolve(undefined),
    create: ({ principalId }: SubscriptionDraft) => Promise.resolve(owners.push(principalId)),
  };
  const unused = {} as never;
  const url = 'https://r.example/';
  const subscriptions = ['acme', 'other'].map((organization, n) => ({
    ...{ id: `s${n}`, organization, url },
  }));
  const service = new DeclaredSubscriptions(
    { subscriptions } as never,
    { subscribe: () => undefined } as never,
    store as never,
    unused,
    { renew: () => Promise.resolve() } as never,
    { wake: () => undefined } as never,
    { check: () => Promise.resolve({}) } as never,
    { now: () => new Date(0) } as never,
    unused,
  );
  await service.onModuleInit();
  await service.onApplicationBootstrap();
  expect(owners).toEqual(['config acme', 'config other']);
  for (const owner of owners) expect(owner).not.toMatch(ID.pattern);
});

it('checks declared subscriptions side by side, and says what is wrong in their order', async () => {
  let [running, most] = [0, 0];
  const registration = {
    check: async ({ url }: { url: string }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      if (!/r(3|30)\./.test(url)) return {};
      const violations = [{ field: 'url', description: 'does not resolve' }];
      throw new HubError('INVALID_PARAMS', 'wrong', { violations });
    },
  };
  const unused = {} as never;
  const service = new DeclaredSubscriptions(
    { subscriptions: written } as never,
    { subscribe: () => undefined } as never,
    ...([unused, unused, unused, unused] as const),
    registration as never,
    ...([unused, unused] as const),
  );
  await expect(service.onModuleInit()).rejects.toMatchObject({
    problems: [{ key: 'subscriptions[3].url' }, { key: 'subscriptions[30].url' }],
  });
  expect(most).toBe(16);
});
