import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { WorkerWatch } from '../../src/database/worker-watch.js';
import { describeDatabases } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';

describeDatabases('WorkerWatch', (databases) => {
  const lines: string[] = [];
  const note = (_fields: object, text: string): void => void lines.push(text);
  const log = { info: note, warn: note } as never;
  const watch = (database: Database, id: string, works: boolean, clock: FakeClock): WorkerWatch =>
    new WorkerWatch(database, id, works, clock, log);

  it('knows that nobody works where only this process is there, which does not', async () => {
    lines.length = 0;
    const clock = new FakeClock();
    const api = watch(await databases.openEmptied(), 'a', false, clock);
    expect([api.count, api.hasNoWorkers]).toEqual([undefined, false]);
    await api.look();
    await api.look();
    expect([api.count, api.hasNoWorkers]).toEqual([0, true]);
    expect(lines).toEqual([
      expect.stringMatching(/^no worker process is running.*role worker or all/),
    ]);
  });

  it('counts this process when it works', async () => {
    lines.length = 0;
    const clock = new FakeClock();
    const all = watch(await databases.openEmptied(), 'a', true, clock);
    await all.start();
    expect([all.count, all.hasNoWorkers]).toEqual([1, false]);
    await all.stop();
    expect(lines).toEqual([]);
  });

  if (databases.dialect === 'sqlite') return;

  describe('between processes', () => {
    it('counts the workers that are there, and hears of their ends', async () => {
      lines.length = 0;
      const clock = new FakeClock();
      const database = await databases.openEmptied();
      const api = watch(database, 'a', false, clock);
      const [one, two] = [watch(database, 'w1', true, clock), watch(database, 'w2', true, clock)];
      await api.look();
      await one.start();
      await two.look();
      await api.look();
      expect(api.count).toBe(2);
      await one.stop();
      await api.look();
      expect(api.count).toBe(1);
      await clock.advance(21_000);
      await api.look();
      expect(api.hasNoWorkers).toBe(true);
      await two.look();
      await api.look();
      expect(api.hasNoWorkers).toBe(false);
      expect(lines.map((line) => line.slice(0, 14))).toEqual([
        'no worker proc',
        'a worker proce',
        'no worker proc',
        'a worker proce',
      ]);
    });

    it('does not count one that is gone when the clock was set back since', async () => {
      const database = await databases.openEmptied();
      const seenAt = (time: string): FakeClock => new FakeClock(time);
      await watch(database, 'gone', true, seenAt('2026-01-01T01:00:00Z')).look();
      const api = watch(database, 'a', false, seenAt('2026-01-01T00:00:00Z'));
      await api.look();
      expect(api.count).toBe(0);
      // Clocks of machines may differ a little.
      const ahead = watch(database, 'ahead', true, seenAt('2026-01-01T00:00:15Z'));
      await ahead.look();
      await api.look();
      expect([ahead.count, api.count]).toEqual([1, 1]);
      const rows = await database.read<{ id: string }>('SELECT id FROM workers');
      expect(rows).toEqual([{ id: 'ahead' }]);
    });
  });
});
