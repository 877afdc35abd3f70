import { beforeEach, expect, it } from '@jest/globals';
import type { Created } from '../../src/tasks/task-log.js';
import type { DatabaseFactory } from '../support/databases.js';
import { ALICE, BOB, COMPLETED, newTask, status, TaskHarness } from './task-harness.js';

const DAY_MS = 86_400_000;

/** What an idempotency key promises, on whatever database. */
export function idempotencyContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.open());
  });

  /** A send with a key that holds for a day, or until its task ends. */
  function send(
    options: { key?: string; request?: string; day?: boolean; principal?: typeof ALICE } = {},
    process = hub,
  ): Promise<Created> {
    const { key = 'key', request = 'hash', day = true, principal = ALICE } = options;
    const expiresAt = day ? new Date(hub.clock.now().getTime() + DAY_MS) : null;
    return process.log.create(
      newTask({ principal, idempotency: { key, fingerprint: request, expiresAt } }),
    );
  }

  function idOf(created: Created): string {
    return created.kind === 'created' ? created.aggregate.record.id : created.taskId;
  }

  it('gives the same task for the same request, also from another process and at once', async () => {
    const first = await send();
    expect(first.kind).toBe('created');
    const again = await Promise.all([send(), send({}, hub.another()), send()]);
    expect(again).toEqual(Array(3).fill({ kind: 'existing', taskId: idOf(first) }));

    const raced = await Promise.all(
      [hub, hub.another(), hub.another(), hub].map((process) => send({ key: 'race' }, process)),
    );
    expect(raced.filter(({ kind }) => kind === 'created')).toHaveLength(1);
    expect(new Set(raced.map(idOf)).size).toBe(1);
    expect(await hub.rows('tasks')).toHaveLength(2);
    expect(await hub.rows('delegations')).toHaveLength(2);
  });

  it('refuses another request under the same key', async () => {
    const first = await send();
    await expect(send({ request: 'other' })).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(await send()).toEqual({ kind: 'existing', taskId: idOf(first) });
  });

  it('belongs to one principal', async () => {
    const first = await send();
    const other = await send({ principal: BOB });
    expect(other.kind).toBe('created');
    expect(idOf(other)).not.toBe(idOf(first));
  });

  it('holds for its time, also after the task has ended', async () => {
    const first = await send();
    await hub.append(idOf(first), status(COMPLETED));
    await hub.clock.advance(DAY_MS - 1);
    expect(await send()).toEqual({ kind: 'existing', taskId: idOf(first) });
    await hub.clock.advance(1);
    const next = await send({ request: 'other' });
    expect(next.kind).toBe('created');
    expect(await send({ request: 'other' })).toEqual({ kind: 'existing', taskId: idOf(next) });
  });

  it('holds until its task ends when it has no time', async () => {
    const first = await send({ day: false });
    await hub.clock.advance(DAY_MS * 30);
    expect(await send({ day: false })).toEqual({ kind: 'existing', taskId: idOf(first) });
    await hub.append(idOf(first), status(COMPLETED));
    const next = await send({ day: false });
    expect(next.kind).toBe('created');
    expect(idOf(next)).not.toBe(idOf(first));
  });

  it('is free again when the commit of its task is refused', async () => {
    const task = newTask({
      idempotency: { key: 'key', fingerprint: 'hash', expiresAt: null },
    });
    hub.participant.refuse.set(task.id, Infinity);
    await expect(hub.log.create(task)).rejects.toThrow(/refused/);
    expect((await send()).kind).toBe('created');
  });

  it('takes keys with text no column holds', async () => {
    const first = await send({ key: 'k\u0000\uD800' });
    expect(await send({ key: 'k\u0000\uD800' })).toEqual({
      kind: 'existing',
      taskId: idOf(first),
    });
  });
}
