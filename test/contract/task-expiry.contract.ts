import { expect, it } from '@jest/globals';
import type { DatabaseFactory } from '../support/databases.js';
import { chunk, COMPLETED, status, TaskHarness } from './task-harness.js';

/** What the stores promise to forget. */
export function taskExpiryContract(databases: DatabaseFactory): void {
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
    // Whoever ends it does not know its keys.
    await hub.another().append(ended.record.id, status(COMPLETED));
    const keys = async (): Promise<unknown[]> =>
      (await hub.rows('idempotency_keys')).map(({ key }) => key).sort();
    const next = await hub.store.forgetKeys(now, 2, null);
    expect(await keys()).toEqual(['open', 'valid']);
    expect(next).toMatchObject({ key: 'expired' });
    await hub.another().append(open.record.id, status(COMPLETED));
    expect(await hub.store.forgetKeys(now, 2, next)).toMatchObject({ key: 'valid' });
    expect(await hub.store.forgetKeys(now, 3, next)).toBeNull();
    expect(await keys()).toEqual(['valid']);
  });

  it('gives up a key that holds until its task ends in the commit of that end on SQLite, and no other', async () => {
    const hub = new TaskHarness(await databases.openEmptied());
    const expiresAt = new Date(hub.clock.now().getTime() + 1000);
    const { record } = await hub.create({
      idempotency: { key: 'until its end', fingerprint: 'f', expiresAt: null },
    });
    await hub.create({ idempotency: { key: 'of another', fingerprint: 'f', expiresAt: null } });
    const timed = await hub.create({
      idempotency: { key: 'for its time', fingerprint: 'f', expiresAt },
    });
    const keys = async (): Promise<unknown[]> =>
      (await hub.rows('idempotency_keys')).map(({ key }) => key).sort();
    await hub.append(record.id, chunk('x'));
    expect(await keys()).toEqual(['for its time', 'of another', 'until its end']);
    await Promise.all([record, timed.record].map(({ id }) => hub.append(id, status(COMPLETED))));
    const isLeft = hub.database.dialect === 'postgres' ? ['until its end'] : [];
    expect(await keys()).toEqual(['for its time', 'of another', ...isLeft]);
  });
}
