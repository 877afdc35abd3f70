import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../common/clock.js';
import type { Log } from '../common/logger.js';
import { configWith } from '../config/index.js';
import { PolicyRegistry } from './policy-registry.js';
import { PoliciesChanged, type PolicyStore } from './policy-store.js';

describe('a change of the policies', () => {
  let revision: number;
  let registry: PolicyRegistry;
  beforeEach(() => {
    revision = 1;
    const store: Pick<PolicyStore, 'all' | 'revision'> = {
      all: () => Promise.resolve([]),
      revision: () => Promise.resolve(revision),
    };
    registry = new PolicyRegistry(store as PolicyStore, configWith({}), {} as Clock, {} as Log);
  });

  it('is decided anew on the policies of another process that came before it', async () => {
    const decidedOn: number[] = [];
    const made = await registry.change((inForce) => {
      decidedOn.push(inForce.revision);
      if (decidedOn.length < 3) {
        revision += 1;
        throw new PoliciesChanged();
      }
      return Promise.resolve('made');
    });
    expect([made, decidedOn]).toEqual(['made', [1, 2, 3]]);
  });

  it('is given up when others always come before it', async () => {
    const lost = registry.change(() => Promise.reject(new PoliciesChanged()));
    await expect(lost).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  it('is made after those before it, whether they succeeded or not', async () => {
    const order: string[] = [];
    const change = (name: string): Promise<void> =>
      registry.change(async ({ revision: seen }) => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push(`${name} on ${seen}`);
        revision += 1;
        if (name === 'second') throw new Error(name);
      });
    const changes = await Promise.allSettled(['first', 'second', 'third'].map(change));
    expect(changes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(order).toEqual(['first on 1', 'second on 2', 'third on 3']);
  });
});
