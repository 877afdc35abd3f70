import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../common/clock.js';
import type { DiskSpace } from './database.js';
import { DiskWatch } from './disk-watch.js';

const MIB = 1024 * 1024;

function watch(minFree: number) {
  let space: DiskSpace | null | Error = { free: 1000 * MIB, reusable: 0, used: 10 * MIB };
  const logged: string[] = [];
  const note = (_: object, message: string): void => void logged.push(message);
  const database = {
    diskSpace: () => (space instanceof Error ? Promise.reject(space) : Promise.resolve(space)),
  };
  const made = new DiskWatch(database, minFree, {} as Clock, {
    info: note,
    warn: note,
    error: note,
  });
  const look = (next: DiskSpace | null | Error): Promise<void> => ((space = next), made.look());
  return { watch: made, look, logged };
}

describe('DiskWatch', () => {
  it('refuses while there is little space, and says so once', async () => {
    const { watch: disk, look, logged } = watch(512 * MIB);
    await disk.look();
    disk.refuseWhenLow();
    for (const free of [511, 510]) await look({ free: free * MIB, reusable: 0, used: 0 });
    expect(() => disk.refuseWhenLow()).toThrow(/almost full/);
    expect(logged).toEqual(['the disk is almost full: new tasks are refused']);
    await look({ free: 512 * MIB, reusable: 0, used: 0 });
    disk.refuseWhenLow();
    expect(logged).toHaveLength(2);
  });

  it('counts what is free in the file, if the disk has some space to write at all', async () => {
    const { watch: disk, look } = watch(512 * MIB);
    await look({ free: 100 * MIB, reusable: 412 * MIB, used: 0 });
    expect(disk.isLow).toBe(false);
    await look({ free: 10 * MIB, reusable: 2000 * MIB, used: 0 });
    expect(disk.isLow).toBe(true);
  });

  it('says nothing of a database that cannot tell, and keeps what it saw last', async () => {
    const { watch: disk, look } = watch(512 * MIB);
    await look(null);
    expect([disk.isLow, disk.space]).toEqual([false, null]);
    await look({ free: 0, reusable: 0, used: 0 });
    await look(new Error('no such disk'));
    expect(disk.isLow).toBe(true);
  });
});
