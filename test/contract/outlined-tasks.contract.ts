import { beforeEach, expect, it, jest } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { agentMessage, statusUpdate } from '../../src/protocol/build.js';
import type { Decision } from '../../src/tasks/log/task-log.js';
import type { CacheLimits } from '../../src/tasks/log/writer-cache.js';
import type { NewEvent, TaskAggregate } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import { change, chunk, COMPLETED, status, TaskHarness, texts, WORKING } from './task-harness.js';

const KIB = 1024;
/** A task leaves its contents to the log from 10 KiB on, and all of them together have 160. */
const LIMITS: CacheLimits = {
  tasks: 100,
  endedTasks: 100,
  size: 64 * KIB,
  largeSize: 160 * KIB,
};
const PIECE = 'x'.repeat(4 * KIB);
const REF = { taskId: 't', contextId: 'c' };
const AT = new Date('2026-01-01T00:00:00Z');

/** What holds for tasks that are too large to be in memory while they go on. */
export function outlinedTasksContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;
  let open: jest.SpiedFunction<TaskHarness['store']['open']>;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.openEmptied(), undefined, undefined, LIMITS);
    open = jest.spyOn(hub.store, 'open');
  });

  it('go on without being read again, and are read whole', async () => {
    const { record } = await hub.create();
    const expected = Array.from({ length: 40 }, (_, n) => `${n} ${PIECE}`);
    for (const text of expected) await hub.append(record.id, chunk(text));
    await hub.append(record.id, chunk('late', 'other', false));
    expect(open).not.toHaveBeenCalled();
    await hub.append(record.id, status(COMPLETED));
    const read = await hub.log.read(record.id, EVERYTHING);
    expect(texts(read!)).toEqual(expected);
    expect(texts(read!, 'other')).toEqual(['late']);
    expect(read).toEqual(await hub.another().load(record.id));
  });

  it('are whole for a decision that reads their parts, which sees what was decided before it', async () => {
    const { record } = await hub.create();
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, chunk(`${n} ${PIECE}`));
    const seen = await Promise.all([
      hub.append(record.id, chunk('with it')),
      ...[1, 2].map(() => hub.log.update(record.id, (task) => nothing(texts(task).length))),
      hub.append(record.id, chunk('after it')),
    ]);
    expect(seen.slice(1, 3)).toEqual([6, 6]);
    expect(open).toHaveBeenCalledTimes(1);
    expect(texts(await hub.load(record.id)).slice(-2)).toEqual(['with it', 'after it']);
  });

  it('are whole for a decision on what is held', async () => {
    const { record } = await hub.create();
    const held = (text: string): NewEvent => ({ ...chunk(text, 'held'), kind: 'held' });
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, held(`${n} ${PIECE}`));
    const sizes = await hub.log.update(record.id, ({ held: [artifact] }: TaskAggregate) =>
      nothing(artifact?.parts.length),
    );
    expect(sizes).toBe(5);
    expect(open).toHaveBeenCalledTimes(1);
    await hub.append(record.id, chunk('shown', 'held', false));
    expect(await hub.log.read(record.id, EVERYTHING)).toMatchObject({ held: [] });
  });

  it('have their messages, which are in the log, for a decision that reads them', async () => {
    const { record } = await hub.create({ text: 'the first' });
    for (let n = 0; n < 8; n += 1) await hub.append(record.id, said(`${n} ${PIECE}`));
    expect(open).not.toHaveBeenCalled();
    const read = (of: (task: TaskAggregate['task']) => unknown): Promise<string> =>
      hub.log.update(record.id, ({ task }) => nothing(JSON.stringify(of(task))));
    const { task } = await hub.load(record.id);
    expect(
      (await read(({ status: now }) => now?.message)) === JSON.stringify(task.status?.message),
    ).toBe(true);
    expect(open).toHaveBeenCalledTimes(1);
    expect((await read(({ history }) => history)) === JSON.stringify(task.history)).toBe(true);
    expect(open).toHaveBeenCalledTimes(2);
    expect(await hub.load(record.id)).toEqual(await hub.log.read(record.id, EVERYTHING));
  });

  it('are in outline again after a decision on all of them that changes nothing', async () => {
    const { record } = await hub.create();
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, chunk(`${n} ${PIECE}`));
    expect(await hub.log.update(record.id, (task) => nothing(texts(task).length))).toBe(5);
    const load = jest.spyOn(hub.store, 'load');
    expect(texts((await hub.log.read(record.id, EVERYTHING))!)).toHaveLength(5);
    expect(load).toHaveBeenCalledTimes(1);
  });

  it('have their state and metadata for decisions without being read', async () => {
    const { record } = await hub.create();
    const noted = (n: number): NewEvent => ({
      kind: 'status',
      payload: statusUpdate(REF, WORKING, AT, undefined, { n, [`${n % 3}`]: PIECE }),
    });
    for (let n = 0; n < 20; n += 1) await hub.append(record.id, noted(n));
    await hub.append(record.id, said('and a message'));
    const state = await hub.log.update(record.id, ({ task: { metadata, status: now } }) =>
      nothing([metadata?.['n'], Object.keys(metadata ?? {}).length, now?.state]),
    );
    expect(open).not.toHaveBeenCalled();
    const { metadata } = (await hub.load(record.id)).task;
    expect(state).toEqual([19, Object.keys(metadata ?? {}).length, WORKING]);
  });

  it('are outlined rather than forgotten, small ones too when there are many', async () => {
    const limits = { ...LIMITS, size: 1024 * KIB, largeSize: 4096 * KIB };
    const many = new TaskHarness(hub.database, undefined, undefined, limits);
    const opened = jest.spyOn(many.store, 'open');
    const made = await Promise.all(Array.from({ length: 40 }, () => many.create()));
    // Each stays below what makes a task large.
    for (let n = 0; n < 10; n += 1) {
      await Promise.all(made.map(({ record }) => many.append(record.id, chunk(`${n} ${PIECE}`))));
    }
    expect(opened).not.toHaveBeenCalled();
    for (const { record } of made) expect(texts(await many.load(record.id))).toHaveLength(10);
  });

  it('have a checkpoint when they end that is worth it, and are in memory then', async () => {
    const { record } = await hub.create();
    for (let n = 0; n < 200; n += 1) await hub.append(record.id, chunk(`${n} ${'y'.repeat(99)}`));
    expect(await hub.rows('task_checkpoints')).toEqual([]);
    await hub.append(record.id, status(COMPLETED));
    expect(await hub.rows('task_checkpoints')).toHaveLength(1);
    const load = jest.spyOn(hub.store, 'load');
    expect(texts((await hub.log.read(record.id, EVERYTHING))!)).toHaveLength(200);
    expect(load).not.toHaveBeenCalled();
  });

  it('show how their delegations stand without being read', async () => {
    const { record } = await hub.create();
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, chunk(`${n} ${PIECE}`));
    const load = jest.spyOn(hub.store, 'load');
    const withoutContents = await hub.log.withoutContents(record.id, EVERYTHING);
    expect(withoutContents?.record.seq).toBe(record.seq + 5);
    expect(withoutContents?.delegations).toHaveLength(1);
    expect(load).not.toHaveBeenCalled();
    expect(await hub.log.withoutContents('unknown', EVERYTHING)).toBeUndefined();
  });

  it('show another process how they stand, of what is visible, without their log', async () => {
    const { record } = await hub.create();
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, chunk(`${n} ${PIECE}`));
    const whole = await hub.another().load(record.id);
    const { log } = hub.another();
    const read = jest.spyOn(hub.database, 'read');
    const own = { kind: 'organization', organization: record.organization } as const;
    expect(await log.withoutContents(record.id, own)).toEqual({
      record: whole.record,
      delegations: whole.delegations,
    });
    const others = { ...own, organization: 'evil' };
    expect(await log.withoutContents(record.id, others)).toBeUndefined();
    const statements = read.mock.calls.map(([sql]) => sql).join('\n');
    expect(statements).toContain('FROM delegations');
    expect(statements).not.toMatch(/task_(?:events|checkpoints|texts)/);
  });

  it('get their checkpoints', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, status(WORKING));
    const count = 600;
    for (let n = 0; n < count; n += 1) await hub.append(record.id, chunk(`${n} ${'y'.repeat(99)}`));
    const checkpoints = await hub.rows('task_checkpoints');
    expect(checkpoints.length).toBeGreaterThan(1);
    // Loaded for each of them, not for each chunk.
    expect(open.mock.calls.length).toBeLessThanOrEqual(checkpoints.length);
    expect(texts(await hub.load(record.id))).toHaveLength(count);
    expect(await hub.load(record.id)).toEqual(await hub.log.read(record.id, EVERYTHING));
  });

  it('are claimed, and change, as others do', async () => {
    const { record } = await hub.create();
    for (let n = 0; n < 5; n += 1) await hub.append(record.id, chunk(`${n} ${PIECE}`));
    const [claimed] = await hub.store.claim('me', hub.clock.now(), 60_000, 10);
    await hub.log.update(record.id, () => change({ events: [chunk('claimed')] }), {
      delegationId: claimed!.id,
      epoch: claimed!.epoch,
    });
    expect(texts(await hub.load(record.id)).at(-1)).toBe('claimed');
    const many = await Promise.all(Array.from({ length: 30 }, () => hub.create()));
    for (const each of many) {
      for (let n = 0; n < 3; n += 1) await hub.append(each.record.id, chunk(PIECE));
    }
    for (const each of [record, ...many.map((made) => made.record)]) {
      await hub.append(each.id, chunk('last'));
      expect(texts(await hub.load(each.id)).at(-1)).toBe('last');
    }
  });
}

function said(text: string): NewEvent {
  const message = agentMessage(text.slice(0, 2), REF, text);
  return { kind: 'status', payload: statusUpdate(REF, WORKING, AT, message) };
}

/** A decision that changes nothing, and gives this. */
function nothing<T>(result: T): Decision<T> {
  return { change: { events: [] }, result };
}
