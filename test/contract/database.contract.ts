import { beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { isUniqueViolation } from '../../src/database/dialect.js';
import type { Tx, Work } from '../../src/database/sql.js';
import type { DatabaseFactory } from '../support/databases.js';

/** What every database of the hub promises about writes. */
export function databaseContract(databases: DatabaseFactory): void {
  let database: Database;

  beforeEach(async () => {
    database = await databases.open();
  });

  function put(key: string, value = 'x'): (tx: Tx) => Work<number> {
    return (tx) => tx.run('INSERT INTO hub_settings (key, value) VALUES (?, ?)', [key, value]);
  }

  async function keys(): Promise<string[]> {
    const rows = await database.read<{ key: string }>('SELECT key FROM hub_settings ORDER BY key');
    return rows.map(({ key }) => key);
  }

  it('loses no acknowledged write and keeps no refused one, however many come at once', async () => {
    const works = Array.from({ length: 100 }, (_, index) =>
      database.write(function* (tx) {
        yield* put(`k${String(index).padStart(3, '0')}`)(tx);
        if (index % 3 === 0) throw new Error('changed my mind');
      }),
    );
    const outcomes = await Promise.allSettled(works);
    const kept = outcomes.flatMap(({ status }, index) =>
      status === 'fulfilled' ? [`k${String(index).padStart(3, '0')}`] : [],
    );
    expect(kept).toHaveLength(66);
    expect(await keys()).toEqual(kept);
  });

  it('rolls a work back when a statement fails, and its neighbours stay', async () => {
    await database.write(put('taken'));
    const [before, failed, after] = await Promise.allSettled([
      database.write(put('before')),
      database.write(function* (tx) {
        yield* put('half')(tx);
        yield* put('taken')(tx);
      }),
      database.write(put('after')),
    ]);
    expect([before.status, failed.status, after.status]).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(isUniqueViolation((failed as PromiseRejectedResult).reason)).toBe(true);
    expect(await keys()).toEqual(['after', 'before', 'taken']);
  });

  it('does not let a work go on after a failed statement', async () => {
    await database.write(put('taken'));
    let cleanedUp = false;
    const work = database.write(function* (tx) {
      try {
        yield* put('taken')(tx);
      } catch {
        yield* put('never')(tx);
      } finally {
        cleanedUp = true;
      }
    });
    await expect(work).rejects.toMatchObject({ code: expect.stringMatching(/CONSTRAINT|23505/) });
    expect(cleanedUp).toBe(true);
    expect(await keys()).toEqual(['taken']);
  });

  it('gives rows, changes, and big numbers as numbers', async () => {
    const result = await database.write(function* (tx) {
      yield* put('a')(tx);
      yield* put('b')(tx);
      const changes = yield* tx.run('UPDATE hub_settings SET value = ?', ['it?']);
      const returned = yield* tx.all<{ key: string }>(
        `DELETE FROM hub_settings WHERE key = 'a' AND value = 'it?' RETURNING key`,
      );
      return { changes, returned };
    });
    expect(result).toEqual({ changes: 2, returned: [{ key: 'a' }] });
    const [row] = await database.read<{ at: number; n: number }>(
      'SELECT CAST(? AS bigint) AS at, COUNT(*) AS n FROM hub_settings',
      [1_790_000_000_000],
    );
    expect(row).toEqual({ at: 1_790_000_000_000, n: 1 });
  });

  it("runs works again that stood in each other's way", async () => {
    await database.write(put('a'));
    await database.write(put('b'));
    const inOrder = (...keys: readonly string[]): Promise<number> =>
      database.write(function* (tx) {
        let changed = 0;
        for (const key of keys) {
          changed += yield* tx.run('UPDATE hub_settings SET value = ? WHERE key = ?', [key, key]);
          if (tx.dialect === 'postgres') yield* tx.all('SELECT pg_sleep(0.2)');
        }
        return changed;
      });
    expect(await Promise.all([inOrder('a', 'b'), inOrder('b', 'a')])).toEqual([2, 2]);
  });

  it('finishes what it has taken on before it closes', async () => {
    const url = await databases.freshUrl();
    const first = await databases.open(url);
    const write = first.write(put('last'));
    await first.close();
    await expect(write).resolves.toBe(1);
    await expect(first.write(put('too late'))).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    database = await databases.open(url);
    expect(await keys()).toEqual(['last']);
  });
}
