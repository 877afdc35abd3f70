import { expect, it } from '@jest/globals';
import { TypeormContextStore } from '../../src/tasks/persistence/typeorm-context.store.js';
import type { DatabaseFactory } from '../support/databases.js';
import { COMPLETED, status, TaskHarness } from './task-harness.js';

/** What the stores promise to forget. */
export function taskExpiryContract(databases: DatabaseFactory): void {
  it('forgets contexts that nobody has used since, with what was learned in them', async () => {
    const database = await databases.open();
    const contexts = new TypeormContextStore(database);
    for (const [id, day] of [
      ['old', 1],
      ['older', 2],
      ['used', 20],
    ] as const) {
      await contexts.touch({
        id,
        principalId: 'alice',
        organization: 'acme',
        affinity: ['a'],
        lastUsedAt: new Date(Date.UTC(2026, 0, day)),
      });
      await contexts.learn(id, 'alice', 'a', `down-${id}`);
    }
    const limit = new Date(Date.UTC(2026, 0, 10));
    expect(await contexts.forget(limit, 1)).toBe(1);
    expect(await contexts.forget(limit, 10)).toBe(1);
    expect(await contexts.forget(limit, 10)).toBe(0);
    expect(await contexts.get('used', 'alice')).toBeDefined();
    const left = await database.read<{ context_id: string }>(
      'SELECT context_id FROM context_agents',
    );
    expect(left.map((row) => row.context_id)).toEqual(['used']);
  });

  it('forgets keys that have expired, and those of tasks that have ended', async () => {
    const hub = new TaskHarness(await databases.open());
    const now = hub.clock.now();
    const at = (ms: number): Date => new Date(now.getTime() + ms);
    const keyed = (key: string, expiresAt: Date | null): ReturnType<TaskHarness['create']> =>
      hub.create({ idempotency: { key, fingerprint: key, expiresAt } });
    await keyed('expired', at(-1));
    await keyed('valid', at(1000));
    await keyed('open', null);
    const ended = await keyed('ended', null);
    await hub.append(ended.record.id, status(COMPLETED));
    expect(await hub.store.forgetKeys(now, 10)).toBe(2);
    const left = (await hub.rows('idempotency_keys')).map(({ key }) => key);
    expect(left.sort()).toEqual(['open', 'valid']);
  });
}
