import { expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { SqlConditionStore } from '../../src/agents/persistence/sql-condition.store.js';
import type { StoredCondition } from '../../src/agents/registry/condition-store.js';
import { describeDatabases } from '../support/databases.js';

const condition = (
  process: string,
  agentId: string,
  version: number,
  health = 'down',
): StoredCondition => ({
  ...{ process, agentId, version, health, revision: 5, breaker: 'open', verdict: 'down' },
  since: 1_700_000_000_000,
  lastError: 'the agent answered HTTP 500',
});

describeDatabases('How processes see agents', (databases) => {
  async function withWorkers(...ids: string[]) {
    const database: Database = await databases.openEmptied();
    for (const [index, id] of ids.entries()) {
      await database.write((tx) =>
        tx.run('INSERT INTO workers (id, seen_at) VALUES (?, ?)', [id, index + 1]),
      );
    }
    return new SqlConditionStore(database);
  }

  it('is read by others as far as it is new', async () => {
    const store = await withWorkers('p', 'q');
    expect(await store.others('q')).toEqual([{ id: 'p', sign: 1, version: 0 }]);
    await store.put('p', [condition('p', 'a', 1), condition('p', 'b', 2)], []);
    await store.put('p', [condition('p', 'a', 3, 'degraded')], []);
    expect(await store.others('q')).toEqual([{ id: 'p', sign: 1, version: 3 }]);
    const [b, a] = [condition('p', 'b', 2), condition('p', 'a', 3, 'degraded')];
    expect(await store.since('p', 0, 10)).toEqual([b, a]);
    expect(await store.since('p', 0, 1)).toEqual([b]);
    expect(await store.since('p', 2, 10)).toEqual([a]);
    await store.put('p', [], ['a']);
    expect(await store.since('p', 0, 10)).toEqual([b]);
  });

  it('goes with its process', async () => {
    const store = await withWorkers('p', 'q');
    await store.put('p', [condition('p', 'a', 1)], []);
    await store.put('q', [condition('q', 'a', 1)], []);
    await store.put('gone', [condition('gone', 'a', 1)], []);
    expect(await store.cleanUp('p')).toBe(1);
    expect(await store.since('gone', 0, 10)).toEqual([]);
    await store.removeOf('q');
    expect(await store.since('q', 0, 10)).toEqual([]);
    expect(await store.since('p', 0, 10)).toHaveLength(1);
  });
});
