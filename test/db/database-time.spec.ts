import { expect, it } from '@jest/globals';
import { SqlDatabaseTime } from '../../src/explain/persistence/sql-database-time.js';
import { describeDatabases } from '../support/databases.js';

describeDatabases('DatabaseTime', (databases) => {
  it('is that of the server, or of this process where there is no server', async () => {
    const database = await databases.openEmptied();
    const before = Date.now();
    const now = await new SqlDatabaseTime(database).now();
    if (database.dialect === 'sqlite') expect(now).toBeNull();
    else {
      expect(now).toBeGreaterThanOrEqual(before - 1);
      expect(now).toBeLessThanOrEqual(Date.now() + 1);
    }
  });
});
