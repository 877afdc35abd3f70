import { expect, it } from '@jest/globals';
import { SqlContextStore } from '../../src/tasks/persistence/sql-context.store.js';
import type { DatabaseFactory } from '../support/databases.js';
import { COMPLETED, status, TaskHarness } from './task-harness.js';

/** What the stores promise to forget. */
export function taskExpiryContract(databases: DatabaseFactory): void {
  it('forgets contexts that nobody has used since', async () => {
    const hub = new TaskHarness(await databases.open());
    const contexts = new SqlContextStore(hub.database);
    for (const contextId of ['older', 'old']) await hub.create({ contextId });
    await hub.clock.advance(1000);
    const limit = hub.clock.now();
    await hub.create({ contextId: 'used' });
    expect(await contexts.forget(limit, 1)).toBe(1);
    expect(await contexts.forget(limit, 10)).toBe(1);
    expect(await contexts.forget(limit, 10)).toBe(0);
    const left = await hub.rows('contexts');
    expect(left.map(({ id }) => id)).toEqual(['used']);
  });

  it('forgets keys that have expired, and those of tasks that have ended', async () => {
    const hub = new TaskHarness(await databases.open());
    const now = hub.clock.now();
    const at = (ms: number): Date => new Date(now.getTime() + ms);
    const keyed = (key: string, expiresAt: Date | null): ReturnType<TaskHarness['create']> =>
      hub.create({ idempotency: { key, fingerprint: key, expiresAt } });
    await keyed('expired', at(-1));
    await keyed('valid', at(1000));
    const open = await keyed('open', null);
    const ended = await keyed('ended', null);
    await hub.append(ended.record.id, status(COMPLETED));
    const keys = async (): Promise<unknown[]> =>
      (await hub.rows('idempotency_keys')).map(({ key }) => key).sort();
    const next = await hub.store.forgetKeys(now, 2, null);
    expect(await keys()).toEqual(['open', 'valid']);
    expect(next).toMatchObject({ key: 'expired' });
    await hub.append(open.record.id, status(COMPLETED));
    expect(await hub.store.forgetKeys(now, 2, next)).toMatchObject({ key: 'valid' });
    expect(await hub.store.forgetKeys(now, 3, next)).toBeNull();
    expect(await keys()).toEqual(['valid']);
  });
}
