import { expect, it } from '@jest/globals';
import { SqlOwnedTaskRows } from '../../src/tasks/persistence/sql-owned-task-rows.js';
import { SqlUsageStore } from '../../src/tasks/persistence/sql-usage.store.js';
import { QuotaLimits } from '../../src/tasks/quotas/quota-limits.js';
import { UsageLedger } from '../../src/tasks/quotas/usage-ledger.js';
import type { Usage, UsageOwner } from '../../src/tasks/store/usage.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  ALICE,
  BOB,
  change,
  chunk,
  COMPLETED,
  EVE,
  newTask,
  status,
  TaskHarness,
  WORKING,
} from './task-harness.js';

const OF_ALICE: UsageOwner = { organization: 'acme', principalId: 'alice' };
const NONE = { openTasks: 0, tasksPerDay: 0, storedBytes: 0 };
const NO_LIMITS = new QuotaLimits(
  { quotas: { organization: { ...NONE, diskShare: 0 }, principal: NONE } },
  { space: null },
  { ofOrganization: () => undefined, ofPrincipal: () => undefined },
);

/** What is promised of the usage that quotas are measured by. */
export function taskUsageContract(databases: DatabaseFactory): void {
  function ledgerOf({ database, clock, store, output }: TaskHarness): UsageLedger {
    const usage = new SqlUsageStore(database, { jitter: () => 0.5 });
    return new UsageLedger(store, usage, NO_LIMITS, clock, output);
  }

  /** What the database says, as a process finds it that starts now. */
  async function stored(hub: TaskHarness, owner = OF_ALICE): Promise<Usage> {
    const ledger = ledgerOf(hub.another());
    await ledger.read();
    return ledger.ofPrincipal(owner);
  }

  it('counts tasks and bytes in the commits of the tasks, in memory and for the next process', async () => {
    const hub = new TaskHarness(await databases.open());
    const ledger = ledgerOf(hub);
    await ledger.read();
    const { record } = await hub.create({ text: 'x'.repeat(10_000) });
    await hub.create({ principal: BOB });
    await hub.create({ principal: EVE });
    const before = ledger.ofPrincipal(OF_ALICE);
    expect(before).toMatchObject({ openTasks: 1, tasksToday: 1 });
    expect(before.storedBytes).toBeGreaterThan(10_000);
    expect(before.storedBytes).toBeLessThan(15_000);
    await hub.append(record.id, status(WORKING), chunk('€'.repeat(10_000)));
    const during = ledger.ofPrincipal(OF_ALICE);
    expect(during.openTasks).toBe(1);
    expect(during.storedBytes - before.storedBytes).toBeGreaterThan(30_000);
    await hub.append(record.id, status(COMPLETED, hub.clock.now()));
    const after = ledger.ofPrincipal(OF_ALICE);
    // The checkpoint of the end has all of it once more.
    expect(after.storedBytes - during.storedBytes).toBeGreaterThan(40_000);
    expect(after).toMatchObject({ openTasks: 0, tasksToday: 1 });
    expect(await stored(hub)).toEqual(after);
    expect(ledger.ofOrganization('acme')).toMatchObject({ openTasks: 1, tasksToday: 2 });
    expect(ledger.ofOrganization('evil')).toMatchObject({ openTasks: 1, tasksToday: 1 });
  });

  it('counts the metadata of a request to cancel, once', async () => {
    const hub = new TaskHarness(await databases.open());
    const ledger = ledgerOf(hub);
    const bytes = (): number => ledger.ofPrincipal(OF_ALICE).storedBytes;
    const { record } = await hub.create();
    const before = bytes();
    const request = {
      cancelRequestedAt: hub.clock.now(),
      cancelMetadata: { why: 'x'.repeat(9000) },
    };
    await hub.log.update(record.id, () => change({ events: [], record: request }));
    const canceled = bytes();
    expect(canceled - before).toBeGreaterThan(9000);
    expect(canceled - before).toBeLessThan(10_000);
    await hub.append(record.id, status(WORKING));
    await hub.another().append(record.id, status(COMPLETED, hub.clock.now()));
    expect((await stored(hub)).storedBytes - canceled).toBeLessThan(2000);
    await hub.store.deleteTask(record.id, hub.clock.now(), false);
    expect(await stored(hub)).toMatchObject({ openTasks: 0, storedBytes: 0 });
  });

  it('gives back what deleted tasks took, by retention and one by one', async () => {
    const hub = new TaskHarness(await databases.open());
    const ledger = ledgerOf(hub);
    const ids: string[] = [];
    for (const text of ['a', 'b', 'c'.repeat(5000)]) {
      const { record } = await hub.create({ text });
      ids.push(record.id);
      await hub.append(record.id, status(COMPLETED, hub.clock.now()));
    }
    expect(await hub.store.deleteTask(ids[2]!, hub.clock.now(), false)).toBe('deleted');
    expect(ledger.ofPrincipal(OF_ALICE).storedBytes).toBeLessThan(10_000);
    expect(await stored(hub)).toEqual(ledger.ofPrincipal(OF_ALICE));
    await hub.clock.advance(1);
    await hub.store.forgetTasks(hub.clock.now(), 10, null);
    expect(ledger.ofPrincipal(OF_ALICE)).toMatchObject({ openTasks: 0, storedBytes: 0 });
    expect(await stored(hub)).toMatchObject({ openTasks: 0, storedBytes: 0, tasksToday: 3 });
  });

  it('counts nothing twice of an append that is refused or decided again', async () => {
    const hub = new TaskHarness(await databases.open());
    const ledger = ledgerOf(hub);
    const { record } = await hub.create();
    const other = hub.another();
    await other.append(record.id, chunk('theirs'));
    await hub.append(record.id, chunk('ours'));
    // What cannot be stored ends its task.
    const broken = await hub.create();
    hub.participant.refuse.set(broken.record.id, 1);
    await expect(hub.append(broken.record.id, chunk('refused'))).rejects.toThrow();
    await hub.append(broken.record.id, status(WORKING)).catch(() => undefined);
    await ledger.read();
    const usage = ledger.ofPrincipal(OF_ALICE);
    expect(usage).toEqual(await stored(hub));
    const rows = await hub.rows('tasks');
    const bytes = rows.map((row) => Number(row['stored_bytes']));
    expect(usage).toMatchObject({ openTasks: 1, storedBytes: bytes[0]! + bytes[1]! });
  });

  it('counts the tasks of a day anew where the clock was set back, but for the skew of processes at midnight', async () => {
    const hub = new TaskHarness(await databases.open());
    const [today, now] = [async () => (await stored(hub)).tasksToday, hub.clock.now().getTime()];
    const day = 24 * 60 * 60 * 1000;
    const toMidnight = day - (now % day);
    await hub.clock.advance(toMidnight - 1000);
    await hub.create();
    await hub.clock.advance(2000);
    await hub.create();
    await hub.clock.advance(-2000);
    await hub.create();
    await hub.clock.advance(2000);
    await hub.create();
    expect(await today()).toBe(2);
    for (const days of [1, 400]) {
      await hub.clock.advance(days * day);
      await hub.create();
      await hub.clock.advance(-days * day);
      await hub.create();
      await hub.create();
      expect([days, await today()]).toEqual([days, 2]);
    }
  });

  it('learns what other processes have committed, and begins each day anew', async () => {
    const hub = new TaskHarness(await databases.open());
    const ledger = ledgerOf(hub);
    await ledger.read();
    const other = hub.another();
    await other.create();
    await other.create({ principal: BOB });
    expect(ledger.ofOrganization('acme').openTasks).toBe(0);
    await ledger.read();
    await ledger.read();
    expect(ledger.ofOrganization('acme')).toMatchObject({ openTasks: 2, tasksToday: 2 });
    await hub.clock.advance(24 * 60 * 60 * 1000);
    expect(ledger.ofOrganization('acme')).toMatchObject({ openTasks: 2, tasksToday: 0 });
    await hub.create();
    expect(ledger.ofPrincipal(OF_ALICE)).toMatchObject({ openTasks: 2, tasksToday: 1 });
    expect(await stored(hub)).toMatchObject({ openTasks: 2, tasksToday: 1 });
  });

  it('forgets what a deletion of the rows took, in every process', async () => {
    const hub = new TaskHarness(await databases.open());
    const ledger = ledgerOf(hub.another());
    await hub.create({ text: 'x'.repeat(10_000) });
    await hub.create({ principal: BOB });
    await hub.create({ principal: EVE });
    await ledger.read();
    expect(ledger.total()).toMatchObject({ openTasks: 3, tasksToday: 3 });
    const { kinds } = new SqlOwnedTaskRows(hub.database);
    const usage = kinds.find(({ kind }) => kind === 'usage')!;
    const removal = { now: hub.clock.now(), blocks: true };
    for (const owner of [{ principal: 'alice' }, { organization: 'evil' }]) {
      while ((await usage.delete(owner, removal)) > 0);
    }
    await ledger.read();
    expect(ledger.ofPrincipal(OF_ALICE)).toEqual({ openTasks: 0, tasksToday: 0, storedBytes: 0 });
    expect(ledger.ofOrganization('acme')).toMatchObject({ openTasks: 1, tasksToday: 1 });
    expect(ledger.ofOrganization('acme').storedBytes).toBeLessThan(5000);
    expect(ledger.organizationNames()).toEqual(['acme']);
    // Who comes back is counted anew.
    await hub.another().create();
    await ledger.read();
    expect(ledger.ofPrincipal(OF_ALICE)).toMatchObject({ openTasks: 1, tasksToday: 1 });
    expect(await stored(hub)).toEqual(ledger.ofPrincipal(OF_ALICE));
  });

  it('deletes one task with all of it, if it has ended and nothing of it is left to tell', async () => {
    const hub = new TaskHarness(await databases.open());
    const key = {
      key: 'k',
      fingerprint: 'f',
      expiresAt: new Date(hub.clock.now().getTime() + 1e6),
    };
    const { record } = await hub.create({ idempotency: key });
    const remove = (drops = false): Promise<string> =>
      hub.store.deleteTask(record.id, hub.clock.now(), drops);
    expect(await remove()).toBe('open');
    expect(await remove(true)).toBe('open');
    await hub.append(record.id, chunk('x'), status(COMPLETED, hub.clock.now()));
    hub.participant.pending.add(record.id);
    expect(await remove()).toBe('webhooks');
    hub.participant.pending.clear();
    await hub.database.write((tx) => tx.run('UPDATE delegations SET cancel_pending = 1'));
    expect(await remove()).toBe('agents');
    expect(await remove(true)).toBe('deleted');
    for (const table of ['tasks', 'task_events', 'task_checkpoints', 'delegations']) {
      expect([table, await hub.rows(table)]).toEqual([table, []]);
    }
    expect(await remove()).toBe('unknown');
    // Its idempotency key holds no more, though its time is not over.
    expect(await hub.store.keyHolder(ALICE.id, 'k', hub.clock.now())).toBeUndefined();
    const again = await hub.log.create(newTask({ idempotency: key }));
    expect(again).toMatchObject({ kind: 'created' });
  });
}
