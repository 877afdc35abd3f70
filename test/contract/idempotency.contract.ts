import { beforeEach, expect, it } from '@jest/globals';
import type { Created } from '../../src/tasks/log/task-log.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  ALICE,
  BOB,
  chunk,
  COMPLETED,
  newTask,
  status,
  TaskHarness,
  texts,
} from './task-harness.js';

const DAY_MS = 86_400_000;

/** What an idempotency key promises, on whatever database. */
export function idempotencyContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.openEmptied());
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

  it('keeps the keys of one commit apart, when some of them are taken already', async () => {
    const held = idOf(await send({ key: 'b' }));
    const sent = ['d', 'b', 'a', 'c', 'a', 'b'];
    const created = await Promise.all(sent.map((key) => send({ key })));
    expect(created.filter(({ kind }) => kind === 'created')).toHaveLength(3);
    expect([1, 5].map((index) => created[index])).toEqual(
      Array(2).fill({ kind: 'existing', taskId: held }),
    );
    expect(idOf(created[4]!)).toBe(idOf(created[2]!));
    const holders = (await hub.rows('idempotency_keys')).map(({ key, task_id }) => [key, task_id]);
    expect(new Map(holders as [string, string][])).toEqual(
      new Map([...sent.map((key, index) => [key, idOf(created[index]!)] as const)]),
    );
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
    hub.participant.refuse.set(task.record.id, Infinity);
    await expect(hub.log.create(task)).rejects.toThrow('The task cannot be stored.');
    expect((await send()).kind).toBe('created');
  });

  it('takes keys with text no column holds', async () => {
    const first = await send({ key: 'k\u0000\uD800' });
    expect(await send({ key: 'k\u0000\uD800' })).toEqual({
      kind: 'existing',
      taskId: idOf(first),
    });
  });

  /** A further message under a key. */
  function further(
    taskId: string,
    options: { request?: string } = {},
    process = hub,
  ): Promise<void> {
    const idempotency = {
      key: 'further',
      fingerprint: options.request ?? 'hash',
      expiresAt: new Date(hub.clock.now().getTime() + DAY_MS),
    };
    return process.log.update(taskId, () => ({
      change: { events: [chunk('once', 'result', false)] },
      result: undefined,
      idempotency,
    }));
  }

  it('of an update is held from its commit on, and refuses the next update under it', async () => {
    const { record } = await hub.create();
    expect(await hub.log.keyHolder('alice', 'further')).toBeUndefined();
    await further(record.id);
    expect(await hub.log.keyHolder('alice', 'further')).toEqual({
      taskId: record.id,
      fingerprint: 'hash',
    });
    expect(await hub.log.keyHolder('bob', 'further')).toBeUndefined();
    for (const [request, sameRequest] of [
      ['hash', true],
      ['other', false],
    ] as const) {
      for (const process of [hub, hub.another()]) {
        const again = further(record.id, { request }, process);
        await expect(again).rejects.toMatchObject({ taskId: record.id, sameRequest });
      }
    }
    expect((await hub.load(record.id)).record.seq).toBe(3);
    await hub.clock.advance(DAY_MS);
    expect(await hub.log.keyHolder('alice', 'further')).toBeUndefined();
    await further(record.id, { request: 'other' });
    expect((await hub.load(record.id)).record.seq).toBe(4);
  });

  it('lets one of several updates at once through', async () => {
    const { record } = await hub.create();
    const other = hub.another();
    const ended = await Promise.allSettled([
      further(record.id),
      further(record.id),
      further(record.id, {}, other),
      hub.append(record.id, chunk('kept', 'kept', false)),
    ]);
    const won = ended.slice(0, 3).filter(({ status: how }) => how === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(ended[3]).toMatchObject({ status: 'fulfilled' });
    expect(texts(await hub.load(record.id))).toEqual(['once']);
    expect(texts(await hub.load(record.id), 'kept')).toEqual(['kept']);
  });

  it('of an update is free again when another process was faster with the task', async () => {
    const { record } = await hub.create();
    const other = hub.another();
    await other.append(record.id, chunk('faster', 'faster', false));
    await further(record.id);
    expect(texts(await hub.load(record.id))).toEqual(['once']);
  });
}
