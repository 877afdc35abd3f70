import { describe, expect, it, jest } from '@jest/globals';
import { EVERYTHING, visibilityOf } from '../../src/auth/index.js';
import { DeliveryStreamEntity } from '../../src/push/delivery/persistence/delivery.entity.js';
import { Table } from '../../src/database/table.js';
import { DELEGATIONS, TASKS } from '../../src/tasks/persistence/task-rows.js';
import type { TaskPage } from '../../src/tasks/store/task-store.js';
import { ALICE, status, TaskHarness, WORKING } from '../contract/task-harness.js';
import { withFactory } from '../support/databases.js';
import { SubscriptionStores } from '../support/subscription-stores.js';

/** More than one piece has. */
const COPIES = 3000;

withFactory('sqlite', (databases) => {
  let hub: TaskHarness;

  /** A working task and many copies of it, each a millisecond older than the one before. */
  async function fill(): Promise<void> {
    hub = new TaskHarness(await databases.openEmptied());
    const { record } = await hub.create({ agents: ['a1'] });
    await hub.append(record.id, status(WORKING, hub.clock.now()));
    await copy('tasks', TASKS.select().names, record.id, 'id');
    await copy('delegations', DELEGATIONS.select().names, record.id, 'task_id');
  }

  const copy = (table: string, names: string, id: string, key: string): Promise<unknown> => {
    const values = names.split(', ').map((name) => {
      if (name === 'id' || name === 'task_id') return `'copy-' || n.i`;
      return name === 'status_at' ? 'status_at - n.i' : name;
    });
    return hub.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COPIES})
         INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM ${table} CROSS JOIN n WHERE ${key} = ?`,
        [id],
      ),
    );
  };

  /** The list of what the agent works on, with a change after the first pieces were read; once more where the list was faster. */
  async function listedDuring(change: string): Promise<TaskPage> {
    const filter = { agentId: 'a1', state: WORKING };
    for (;;) {
      await fill();
      let isListed = false;
      const listing = hub.store
        .list(filter, visibilityOf(ALICE), 10, null)
        .finally(() => (isListed = true));
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      await hub.database.write((tx) => tx.run(change));
      if (!isListed) return listing;
    }
  }

  const idsOf = ({ tasks }: TaskPage): string[] => tasks.map(({ record }) => record.id);

  describe('a list for an agent that SQLite reads in pieces', () => {
    it('has a task whose status changes meanwhile, once', async () => {
      const page = await listedDuring(
        `UPDATE tasks SET status_at = status_at + 1000000 WHERE id = 'copy-2900'`,
      );
      expect(page.totalSize).toBe(COPIES + 1);
      expect(idsOf(page)[0]).toBe('copy-2900');
    });

    it.each([
      ['ends', `UPDATE tasks SET state = 3, status_at = status_at + 1000000 WHERE id = 'copy-3'`],
      ['is deleted', `DELETE FROM tasks WHERE id = 'copy-3'`],
    ])('has no task that %s meanwhile, and goes on behind it', async (_, change) => {
      const page = await listedDuring(change);
      expect(idsOf(page)).not.toContain('copy-3');
      expect(page.tasks.every(({ record }) => record.state === WORKING)).toBe(true);
      expect(page.next).not.toBeNull();
    });
  });

  it('a list of what subscriptions have in a state is read in pieces', async () => {
    const stores = new SubscriptionStores(await databases.openEmptied());
    const task = await stores.join(await stores.subscribe());
    await stores.database.write(function* (tx) {
      const { names } = new Table(DeliveryStreamEntity).select();
      const values = names
        .split(', ')
        .map((name) => (['id', 'task_id'].includes(name) ? `'0-' || n.i` : name));
      yield* tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COPIES})
         INSERT INTO push_delivery_streams (${names}) SELECT ${values.join(', ')}
         FROM push_delivery_streams CROSS JOIN n WHERE task_id = ?`,
        [task],
      );
      yield* tx.run(`UPDATE push_delivery_streams SET state = 'failing' WHERE id = '0-1'`);
    });
    const read = jest.spyOn(stores.database, 'read');
    const found = await stores.webhooks.search({ state: 'failing' }, EVERYTHING, 10, null);
    const pieces = read.mock.calls.filter(([sql]) => sql.includes('push_delivery_streams s ON'));
    read.mockRestore();
    expect(found.map(({ streamId }) => streamId)).toEqual(['0-1']);
    expect(pieces.length).toBeGreaterThan(1);
  });
});
