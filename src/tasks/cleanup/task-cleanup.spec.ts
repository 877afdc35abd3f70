import { expect, it } from '@jest/globals';
import { FakeAuditLog } from '../../audit/fake-audit-log.js';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { TaskCleanup } from './task-cleanup.js';

/** Every sleep is over at once, and the time has passed. */
class HastyClock extends SettableClock {
  override async sleep(ms: number): Promise<void> {
    this.ms += ms;
    await new Promise(setImmediate);
  }
}

it('cleans up, and ends the other tasks, when one cannot be ended', async () => {
  const ended: string[] = [];
  const errors: unknown[] = [];
  const none = (): Promise<number> => Promise.resolve(0);
  await new Promise<void>((cleanedUp) => {
    const cleanup = new TaskCleanup(
      {
        update: async (taskId) => {
          if (taskId === 'bad') throw new Error('it cannot be stored');
          ended.push(taskId);
          return undefined as never;
        },
        forget: () => undefined,
      },
      {
        overdue: () => Promise.resolve(ended.length === 0 ? ['bad', 'good'] : ['bad']),
        forgetKeys: () => Promise.resolve(null),
        forgetTexts: none,
        deleteLogPiece: () => Promise.resolve(false),
        forgetTasks: () => {
          void cleanup.stop().then(cleanedUp);
          return Promise.resolve({ taskIds: [], next: null });
        },
      },
      { forget: none },
      { forget: none },
      { forget: none },
      new HastyClock(0),
      {
        error: (entry: unknown) => void errors.push(entry),
        warn: () => undefined,
        info: () => undefined,
      },
      { tasks: { retentionDays: 30 } },
      { record: () => Promise.resolve('') },
    );
    cleanup.start();
  });
  expect(ended).toEqual(['good']);
  expect(errors).toContainEqual(expect.objectContaining({ taskId: 'bad' }));
});

it('records what was deleted before a step failed, and by the next run what could not be recorded', async () => {
  const audit = new FakeAuditLog();
  const none = (): Promise<number> => Promise.resolve(0);
  const pieces = [['a', 'b'], undefined, ['c'], undefined, ['d'], []];
  const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const cleanup = new TaskCleanup(
    { update: async () => undefined as never, forget: () => undefined },
    {
      overdue: () => Promise.resolve([]),
      forgetKeys: () => Promise.resolve(null),
      forgetTexts: none,
      deleteLogPiece: () => Promise.resolve(false),
      forgetTasks: () => {
        const taskIds = pieces.shift();
        if (taskIds === undefined) return Promise.reject(new Error('the database is away'));
        const next = taskIds.length === 0 ? null : { statusAt: new Date(0), id: 'x' };
        return Promise.resolve({ taskIds, next });
      },
    },
    { forget: none },
    { forget: none },
    { forget: none },
    new HastyClock(0),
    silent,
    { tasks: { retentionDays: 30 } },
    audit,
  );
  const counts = (): unknown[] => audit.entries.map(({ action, details }) => [action, details]);
  const entry = (count: number): unknown => [
    'tasks.expire',
    expect.objectContaining({ by: 'retention', count }),
  ];
  await expect(cleanup.cleanUp()).rejects.toThrow('is away');
  expect(counts()).toEqual([entry(2)]);
  audit.failure = new Error('not even this');
  await expect(cleanup.cleanUp()).rejects.toThrow('is away');
  audit.failure = undefined;
  await cleanup.cleanUp();
  expect(counts()).toEqual([entry(2), entry(2)]);
});

it('ends all overdue tasks at one look, and tries each that cannot be ended once', async () => {
  const overdue = new Set(Array.from({ length: 250 }, (_, n) => `task ${n}`));
  const none = (): Promise<number> => Promise.resolve(0);
  let looks = 0;
  const tried: string[] = [];
  const cleanup = new TaskCleanup(
    {
      update: async (taskId) => {
        tried.push(taskId);
        if (isBad(taskId)) throw new Error('it cannot be stored');
        overdue.delete(taskId);
        return undefined as never;
      },
      forget: () => undefined,
    },
    {
      overdue: async (_now, limit) => {
        looks += 1;
        return [...overdue].slice(0, limit);
      },
      forgetKeys: () => Promise.resolve(null),
      forgetTexts: none,
      deleteLogPiece: () => Promise.resolve(false),
      forgetTasks: () => Promise.resolve({ taskIds: [], next: null }),
    },
    { forget: none },
    { forget: none },
    { forget: none },
    new SettableClock(0),
    { error: () => undefined, warn: () => undefined, info: () => undefined },
    { tasks: { retentionDays: 30 } },
    { record: () => Promise.resolve('') },
  );
  let isBad = (taskId: string): boolean => taskId === 'task 3';
  await cleanup.endOverdue();
  expect([...overdue]).toEqual(['task 3']);
  expect(tried).toHaveLength(250);

  for (let n = 0; n < 250; n++) overdue.add(`bad ${n}`);
  isBad = () => true;
  looks = 0;
  await cleanup.endOverdue();
  expect(looks).toBe(2);

  isBad = () => false;
  looks = 0;
  await cleanup.endOverdue(AbortSignal.abort());
  expect([looks, overdue.size]).toEqual([1, 151]);
});
