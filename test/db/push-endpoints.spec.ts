import { describe } from '@jest/globals';
import { endpointHealthContract } from '../contract/endpoint-health.contract.js';
import { laneClockContract } from '../contract/lane-clock.contract.js';
import { lanePlacesContract } from '../contract/lane-places.contract.js';
import type { EndpointRules } from '../../src/push/receivers/domain/endpoint-health.js';
import { describeDatabases } from '../support/databases.js';
import { PushStores } from '../support/push-stores.js';

describeDatabases('push endpoints', (databases) => {
  const open = async (rules?: Partial<EndpointRules>): Promise<PushStores> =>
    new PushStores(await databases.openEmptied(), rules);
  describe('health', () => endpointHealthContract(open));
  describe('places', () => lanePlacesContract(open));
  describe('clocks', () => laneClockContract(open));
});
