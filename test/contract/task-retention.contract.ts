import { expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { SqlCallbackStore } from '../../src/tasks/persistence/sql-callback.store.js';
import type { TaskCursor } from '../../src/tasks/store/task-store.js';
import type { DatabaseFactory } from '../support/databases.js';
import { ALICE, chunk, COMPLETED, status, TaskHarness, WORKING } from './task-harness.js';

const TABLES = ['tasks', 'task_events', 'task_checkpoints', 'delegations'];

/** What the stores promise of tasks that have been kept long enough, and of callbacks. */
export function taskRetentionContract(databases: DatabaseFactory): void {
  /** Ends a task now, after as many chunks. */
  async function ended(hub: TaskHarness, state = COMPLETED, chunks = 1): Promise<string> {
    const { record } = await hub.create();
    const events = Array.from({ length: chunks }, (_, index) => chunk(String(index)));
    await hub.append(record.id, ...events, status(state, hub.clock.now()));
    return record.id;
  }

  async function left(hub: TaskHarness): Promise<unknown[]> {
    return (await hub.rows('tasks')).map(({ id }) => id).sort();
  }

  it('deletes tasks that ended before, with everything of them, and nothing else', async () => {
    const hub = new TaskHarness(await databases.open());
    const { TASK_STATE_FAILED, TASK_STATE_CANCELED, TASK_STATE_REJECTED } = TaskState;
    const gone = [COMPLETED, TASK_STATE_FAILED, TASK_STATE_CANCELED, TASK_STATE_REJECTED];
    for (const state of gone) await ended(hub, state);
    const open = await hub.create();
    await hub.append(open.record.id, status(WORKING, hub.clock.now()));
    await hub.clock.advance(1000);
    const limit = hub.clock.now();
    const kept = await ended(hub);
    const { taskIds, next } = await hub.store.forgetTasks(limit, 10, null);
    expect(taskIds).toHaveLength(gone.length);
    expect(next).toBeNull();
    expect(await left(hub)).toEqual([open.record.id, kept].sort());
    for (const table of TABLES) {
      const rows = await hub.rows(table);
      const column = table === 'tasks' ? 'id' : 'task_id';
      expect(rows.filter((row) => taskIds.includes(String(row[column])))).toEqual([]);
      if (table !== 'task_checkpoints') expect(rows).not.toEqual([]);
    }
    expect(await hub.load(kept)).toMatchObject({ record: { id: kept } });
  });

  it('goes on piece by piece, the longest ended first, past what must stay', async () => {
    const hub = new TaskHarness(await databases.open());
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.push(await ended(hub));
      await hub.clock.advance(10);
    }
    hub.participant.pending.add(ids[0]!).add(ids[1]!);
    const pieces: (readonly string[])[] = [];
    let from: TaskCursor | null = null;
    do {
      const { taskIds, next } = await hub.store.forgetTasks(hub.clock.now(), 2, from);
      pieces.push(taskIds);
      from = next;
    } while (from !== null);
    expect(pieces).toEqual([[], [ids[2], ids[3]], [ids[4]]]);
    expect(await left(hub)).toEqual([ids[0]!, ids[1]!].sort());
    hub.participant.pending.clear();
    const { taskIds } = await hub.store.forgetTasks(hub.clock.now(), 10, null);
    expect(taskIds).toEqual([ids[0], ids[1]]);
  });

  it('takes one commit for few log entries only, and at least one task', async () => {
    const hub = new TaskHarness(await databases.open());
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      ids.push(await ended(hub));
      await hub.clock.advance(10);
    }
    await hub.database.write((tx) => tx.run('UPDATE tasks SET seq = 700'));
    const first = await hub.store.forgetTasks(hub.clock.now(), 10, null);
    expect(first.taskIds).toEqual([ids[0]]);
    await hub.database.write((tx) => tx.run('UPDATE tasks SET seq = 50000'));
    const second = await hub.store.forgetTasks(hub.clock.now(), 10, first.next);
    expect(second.taskIds).toEqual([ids[1]]);
  });

  it('deletes a large log behind its task piece by piece, and its id is free after that', async () => {
    const hub = new TaskHarness(await databases.open());
    const { record } = await hub.create({ id: 'large' });
    for (let count = 0; count < 3; count++) {
      await hub.append(record.id, ...Array.from({ length: 500 }, (_, n) => chunk(`${n}`)));
    }
    await hub.append(record.id, chunk('x'.repeat(3 * 1024 * 1024)));
    await hub.append(record.id, status(COMPLETED, hub.clock.now()));
    const small = await ended(hub);
    expect(await hub.store.deleteLogPiece()).toBe(false);
    await hub.clock.advance(1);
    for (const id of [record.id, small]) {
      expect(await hub.store.deleteTask(id, hub.clock.now(), false)).toBe('deleted');
    }
    hub.log.forget([record.id]);
    await expect(hub.load(record.id)).rejects.toThrow('no task large');
    expect(await hub.rows('delegations')).toEqual([]);
    const events = async (): Promise<number> => (await hub.rows('task_events')).length;
    expect(await events()).toBe(1504);
    await expect(hub.create({ id: 'large' })).rejects.toMatchObject({ reason: 'CONFLICT' });
    await hub.create({ id: 'other' });

    let pieces = 0;
    let most = 0;
    for (let before = await events(); await hub.store.deleteLogPiece(); pieces += 1) {
      const left = await events();
      most = Math.max(most, before - left);
      before = left;
    }
    expect(pieces).toBeGreaterThan(3);
    expect(most).toBeLessThanOrEqual(1000);
    for (const table of ['task_events', 'task_checkpoints', 'task_texts']) {
      const rows = await hub.rows(table);
      expect(rows.filter(({ task_id }) => task_id === 'large')).toEqual([]);
    }
    expect((await hub.rows('deleted_logs')).length).toBe(0);
    await hub.create({ id: 'large' });
  });

  it('leaves no task behind in memory, nor to anybody who still has its id', async () => {
    const hub = new TaskHarness(await databases.open());
    const other = hub.another();
    const id = await ended(hub);
    expect(await other.log.read(id, { kind: 'everything' })).toBeDefined();
    await hub.clock.advance(1);
    const { taskIds } = await hub.store.forgetTasks(hub.clock.now(), 10, null);
    hub.log.forget(taskIds);
    for (const { log } of [hub, other]) {
      expect(await log.read(id, { kind: 'everything' })).toBeUndefined();
      expect(await log.events(id, 0, 10)).toEqual([]);
    }
    const update = hub.append(id, status(WORKING));
    await expect(update).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    await expect(other.append(id, status(WORKING))).rejects.toMatchObject({
      reason: 'TASK_NOT_FOUND',
    });
  });

  it('frees the idempotency keys of deleted tasks', async () => {
    const hub = new TaskHarness(await databases.open());
    const key = { key: 'k', fingerprint: 'f', expiresAt: null };
    const { record } = await hub.create({ idempotency: key });
    await hub.append(record.id, status(COMPLETED, hub.clock.now()));
    await hub.clock.advance(1);
    await hub.store.forgetTasks(hub.clock.now(), 10, null);
    expect(await hub.store.forgetKeys(hub.clock.now(), 10, null)).toBeNull();
    expect(await hub.rows('idempotency_keys')).toEqual([]);
    expect(await hub.store.keyHolder(ALICE.id, 'k', hub.clock.now())).toBeUndefined();
  });

  it('deletes each task once when two processes do it at the same time', async () => {
    const hub = new TaskHarness(await databases.open());
    const ids = await Promise.all(Array.from({ length: 8 }, () => ended(hub)));
    await hub.clock.advance(1);
    const forget = (): Promise<readonly string[]> =>
      hub.store.forgetTasks(hub.clock.now(), 8, null).then(({ taskIds }) => taskIds);
    const both = (await Promise.all([forget(), forget()])).flat();
    expect(new Set(both)).toEqual(new Set(ids));
    expect(await left(hub)).toEqual([]);
  });

  it('hands a callback to who takes it, once, and forgets what nobody takes', async () => {
    const { database, clock } = new TaskHarness(await databases.open());
    const store = new SqlCallbackStore(database);
    for (const id of ['a', 'a', 'b', 'c']) await store.note(id, clock.now());
    expect(await store.take([])).toEqual([]);
    expect((await store.take(['a', 'b', 'other'])).sort()).toEqual(['a', 'b']);
    expect(await store.take(['a', 'b'])).toEqual([]);
    expect(await store.forget(clock.now(), 10)).toBe(0);
    await clock.advance(1);
    expect(await store.forget(clock.now(), 10)).toBe(1);
    expect(await store.take(['c'])).toEqual([]);
  });
}
