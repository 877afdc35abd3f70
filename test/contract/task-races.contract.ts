import { expect, it, jest } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import type { Tx, Work } from '../../src/database/sql.js';
import type { DatabaseFactory } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { change, chunk, COMPLETED, newTask, status, TaskHarness } from './task-harness.js';

/** What holds when something comes between two statements of another. */
export function taskRacesContract(databases: DatabaseFactory): void {
  it('keeps what was decided while a task was loaded twice, beside all that came later', async () => {
    const hub = new TaskHarness(await databases.openEmptied());
    const { record } = await hub.create({ agents: ['a1'] });
    const me = hub.another();
    const opened: (() => void)[] = [];
    const open = me.store.open.bind(me.store);
    jest.spyOn(me.store, 'open').mockImplementation(async (id) => {
      const found = await open(id);
      await new Promise<void>((resolve) => opened.push(resolve));
      return found;
    });
    const at = hub.clock.now();
    const first = me.log.update(record.id, () =>
      change({ events: [], record: { cancelRequestedAt: at } }),
    );
    const isOpened = (): void => expect(opened).toHaveLength(1);
    await eventually(isOpened);
    await hub.append(record.id, chunk('of another process', 'result', false));
    await me.store.claim('me', at, 60_000, 10);
    opened.shift()!();
    await eventually(isOpened);
    const second = me.append(record.id, chunk('later'));
    // A second writer of the task would load it, too.
    await new Promise((resolve) => setImmediate(resolve));
    for (const go of opened.splice(0)) go();
    await Promise.all([first, second]);
    expect((await hub.load(record.id)).record).toMatchObject({ seq: 4, cancelRequestedAt: at });
  });

  it('takes one append of a task in a batch: a second one is decided again', async () => {
    const hub = new TaskHarness(await databases.openEmptied());
    const { record } = await hub.create();
    const commit = jest.spyOn(hub.store, 'commit');
    await hub.append(record.id, chunk('first', 'result', false));
    const [[append]] = commit.mock.calls[0]!;
    const again = { ...append!, expectedVersion: append!.expectedVersion + 1, events: [] };
    const kinds = (await hub.store.commit([again, { ...again }])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['committed', 'conflict']);
  });

  it('holds a key whose holder gives it up between two of its statements', async () => {
    const database = await databases.openEmptied();
    const hub = new TaskHarness(database);
    const key = { key: 'k', fingerprint: 'f', expiresAt: null };
    const { record } = await hub.create({ idempotency: key });
    await hub.append(record.id, status(COMPLETED));
    await database.write((tx) =>
      tx.run('INSERT INTO idempotency_keys VALUES (?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING', [
        record.principalId,
        'k',
        record.id,
        'f',
      ]),
    );
    const late = hub.another(
      between(database, /^UPDATE idempotency_keys/, 'DELETE FROM idempotency_keys'),
    );
    await late.create({ idempotency: key });
    expect(await hub.rows('idempotency_keys')).toHaveLength(1);
    expect(await hub.log.create(newTask({ idempotency: key }))).toMatchObject({ kind: 'existing' });
  });

  it('knows no task that is deleted between the reads of its row and of its log', async () => {
    const database = await databases.openEmptied();
    const hub = new TaskHarness(database);
    const { record } = await hub.create();
    await hub.append(record.id, status(COMPLETED));
    const read = database.read.bind(database);
    const deleting = new Proxy(database, {
      get(target, name) {
        if (name !== 'read') return bound(target, name);
        return async (sql: string, ...rest: []) => {
          const rows = await read(sql, ...rest);
          if (/FROM tasks\b/.test(sql) && rows.length > 0) {
            await hub.store.deleteTask(record.id, hub.clock.now(), true);
          }
          return rows;
        };
      },
    });
    const reader = hub.another(deleting);
    expect(await reader.store.load(record.id, { kind: 'everything' })).toBeUndefined();
  });
}

/** The database where `other` happens right before the first statement like this. */
function between(database: Database, statement: RegExp, other: string): Database {
  let isDone = false;
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'write') return bound(target, name);
      return (work: (tx: Tx) => Work<unknown>) =>
        target.write(function* (tx: Tx): Work<unknown> {
          const steps = work(tx);
          let step = steps.next();
          while (step.done !== true) {
            if (!isDone && statement.test(step.value.sql)) {
              isDone = true;
              yield* tx.run(other);
            }
            step = steps.next(yield step.value);
          }
          return step.value;
        });
    },
  });
}

function bound(target: Database, name: string | symbol): unknown {
  const value = Reflect.get(target, name, target) as unknown;
  return typeof value === 'function' ? (value as () => void).bind(target) : value;
}
