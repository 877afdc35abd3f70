import { expect, it } from '@jest/globals';
import { SqlRateStore } from '../../src/limits/persistence/sql-rate.store.js';
import { requestRatesContract } from '../contract/request-rates.contract.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('request rates', (databases) => {
  requestRatesContract(() => databases.openEmptied());

  it('go by the clock of the database', async () => {
    const store = new SqlRateStore(await databases.openEmptied());
    const { now, leases } = await store.take([{ key: 'k', max: 8, wanted: 9, isAhead: false }]);
    expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(60_000);
    expect(leases).toEqual([{ second: Math.floor(now.getTime() / 1000), points: 4 }]);
  });
});
