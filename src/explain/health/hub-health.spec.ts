import { describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import { configWith } from '../../config/index.js';
import type { Database, DiskSpace } from '../../database/database.js';
import type { DiskWatch } from '../../database/disk-watch.js';
import type { WorkerWatch } from '../../database/worker-watch.js';
import { HubHealth } from './hub-health.js';

const MIB = 1024 * 1024;

interface Found {
  readonly fault?: Error;
  readonly theirs?: number | null;
  readonly space?: DiskSpace | null;
  readonly isLow?: boolean;
  readonly workers?: number;
}

function hub({ fault, theirs = null, space = null, isLow = false, workers = 1 }: Found = {}) {
  const check = () => (fault === undefined ? Promise.resolve() : Promise.reject(fault));
  return new HubHealth(
    { dialect: 'postgres', check } as unknown as Database,
    { now: () => Promise.resolve(theirs) },
    { space, isLow } as unknown as DiskWatch,
    { count: workers, hasNoWorkers: workers === 0 } as unknown as WorkerWatch,
    configWith({ database: { minFree: 512 * MIB } }),
    new SettableClock(1_000_000),
  );
}

describe('the health of a hub', () => {
  it('is failing when its database does not answer', async () => {
    expect(await hub().database()).toMatchObject({ state: 'ok', advice: null });
    expect(await hub({ fault: new Error('no connection') }).database()).toMatchObject({
      state: 'failing',
      summary: 'PostgreSQL does not answer, or its migrations are not done: no connection',
      advice: expect.stringContaining('database.url'),
    });
  });

  it.each([
    [null, 'ok'],
    [1_000_000, 'ok'],
    [1_001_999, 'ok'],
    [998_001, 'ok'],
    [1_002_001, 'warning'],
    [900_000, 'warning'],
  ])('compares its clock with one that says %s: %s', async (theirs, state) => {
    expect(await hub({ theirs }).clock()).toMatchObject({ state });
  });

  it('says how far the clocks are apart', async () => {
    const { summary } = await hub({ theirs: 1_005_200 }).clock();
    expect(summary).toBe('The clock of this process and that of the database are 5.2 s apart.');
  });

  it.each([
    [null, false, 'ok'],
    [{ free: 5000 * MIB, reusable: 0, used: MIB }, false, 'ok'],
    [{ free: 600 * MIB, reusable: 500 * MIB, used: MIB }, false, 'ok'],
    [{ free: 600 * MIB, reusable: 0, used: MIB }, false, 'warning'],
    [{ free: 100 * MIB, reusable: 0, used: MIB }, true, 'failing'],
  ])('looks at the disk: %j', (space, isLow, state) => {
    expect(hub({ space, isLow }).disk()).toMatchObject({ state });
  });

  it('says what is free', () => {
    const { summary } = hub({ space: { free: 1500 * MIB, reusable: 0, used: 2 * MIB } }).disk();
    expect(summary).toBe(
      '1,500 MiB are free, 2 MiB used; the least is 512 MiB (database.minFree).',
    );
  });

  it('is failing when nobody works', () => {
    expect(hub({ workers: 2 }).workers().summary).toBe('2 workers for tasks and webhooks.');
    expect(hub({ workers: 0 }).workers()).toMatchObject({ state: 'failing' });
  });
});
