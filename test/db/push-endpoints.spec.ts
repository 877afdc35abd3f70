import { describe } from '@jest/globals';
import { endpointHealthContract } from '../contract/endpoint-health.contract.js';
import { streamClockContract } from '../contract/stream-clock.contract.js';
import { streamCapacityContract } from '../contract/stream-capacity.contract.js';
import { prefetchContract } from '../contract/prefetch.contract.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';

describeDatabases('push endpoints', (databases) => {
  const open = async (rules?: Partial<EndpointRules>): Promise<PushStores> =>
    new PushStores(await databases.openEmptied(), rules);
  describe('health', () => endpointHealthContract(open));
  describe('places', () => streamCapacityContract(open));
  describe('prefetching', () => prefetchContract(open));
  describe('clocks', () => streamClockContract(open));
});
