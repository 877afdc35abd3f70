import { expect, it } from '@jest/globals';
import { HubError } from '../../common/hub-error.js';
import { DeclaredSubscriptions } from './declared-subscriptions.service.js';

const written = Array.from({ length: 40 }, (_, n) => ({
  ...{ id: `s${n}`, organization: 'acme', url: `https://r${n}.example/` },
}));

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
