import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../database/database.js';
import type { SqlValue } from '../../database/sql.js';
import { VersionReads } from './version-reads.js';

const VERSIONS = new Map([
  ['a', 1],
  ['b', 2],
]);

/** Answers when it is told to. */
function slowDatabase(): { database: Database; asked: SqlValue[][]; answer: () => void } {
  const asked: SqlValue[][] = [];
  let pending: (() => void)[] = [];
  const read = async (_sql: string, ids: SqlValue[]): Promise<unknown[]> => {
    asked.push(ids);
    await new Promise<void>((resolve) => pending.push(resolve));
    return [...new Set(ids)].flatMap((id) =>
      VERSIONS.has(String(id)) ? [{ id, version: VERSIONS.get(String(id)) }] : [],
    );
  };
  const answer = (): void => {
    for (const resolve of pending) resolve();
    pending = [];
  };
  return { database: { read } as unknown as Database, asked, answer };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('VersionReads', () => {
  it('reads in one query what is asked for in one turn', async () => {
    const { database, asked, answer } = slowDatabase();
    const reads = new VersionReads(database);
    const versions = Promise.all(['a', 'b', 'none'].map((id) => reads.read(id)));
    await turn();
    answer();
    expect(await versions).toEqual([1, 2, undefined]);
    expect(asked).toEqual([['a', 'b', 'none', 'none']]);
  });

  it('reads anew what is asked for while a query is under way', async () => {
    const { database, asked, answer } = slowDatabase();
    const reads = new VersionReads(database);
    const before = reads.read('a');
    await turn();
    const meanwhile = reads.read('a');
    answer();
    expect(await before).toBe(1);
    await turn();
    answer();
    expect(await meanwhile).toBe(1);
    expect(asked).toEqual([['a'], ['a']]);
  });

  it('knows no task with an id that no database can have, and keeps it from others', async () => {
    const { database, asked } = slowDatabase();
    expect(await new VersionReads(database).read('a\u0000')).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('says to all who wait that a query failed, and reads again', async () => {
    let fails = true;
    const read = (): Promise<unknown[]> => {
      if (fails) return Promise.reject(new Error('gone'));
      return Promise.resolve([{ id: 'a', version: 1 }]);
    };
    const reads = new VersionReads({ read } as unknown as Database);
    const [first, second] = await Promise.allSettled([reads.read('a'), reads.read('b')]);
    expect([first, second].map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await reads.read('a')).toBe(1);
  });
});
