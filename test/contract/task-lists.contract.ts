import { beforeEach, expect, it } from '@jest/globals';
import { EVERYTHING, visibilityOf, type Visibility } from '../../src/auth/index.js';
import type { Database } from '../../src/database/database.js';
import type { TaskState } from '../../src/protocol/a2a.js';
import type { TaskCursor, TaskFilter } from '../../src/tasks/store/task-store.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  ALICE,
  BOB,
  chunk,
  COMPLETED,
  EVE,
  status,
  TaskHarness,
  texts,
  WORKING,
  type TaskOptions,
} from './task-harness.js';

/** What ListTasks needs of the store (A2A §3.1.4). */
export function taskListsContract(databases: DatabaseFactory): void {
  let database: Database;
  let hub: TaskHarness;

  beforeEach(async () => {
    database = await databases.openEmptied();
    hub = new TaskHarness(database);
  });

  const mine = visibilityOf(ALICE);

  /** Ids of all pages, the pages' sizes, and the totals they told. */
  async function walk(
    filter: TaskFilter = {},
    visibility: Visibility = mine,
    limit = 3,
  ): Promise<{ ids: string[]; sizes: number[]; totals: number[] }> {
    const result = { ids: [] as string[], sizes: [] as number[], totals: [] as number[] };
    let after: TaskCursor | null = null;
    do {
      const page = await hub.store.list(filter, visibility, limit, after);
      result.ids.push(...page.tasks.map(({ record }) => record.id));
      result.sizes.push(page.tasks.length);
      result.totals.push(page.totalSize);
      after = page.next;
    } while (after !== null);
    return result;
  }

  async function make(options: TaskOptions = {}, ...states: TaskState[]): Promise<string> {
    const { record } = await hub.create(options);
    for (const state of states) await hub.append(record.id, status(state, hub.clock.now()));
    return record.id;
  }

  it('lists the newest status first, over all pages, and the total on each', async () => {
    const ids = [];
    for (let n = 0; n < 7; n += 1) {
      ids.push(await make({}, ...(n % 2 === 0 ? [WORKING] : [WORKING, COMPLETED])));
      await hub.clock.advance(1000);
    }
    expect(await walk()).toEqual({
      ids: ids.reverse(),
      sizes: [3, 3, 1],
      totals: [7, 7, 7],
    });
    await hub.append(ids[6]!, status(COMPLETED, hub.clock.now()));
    expect((await walk()).ids[0]).toBe(ids[6]);
  });

  it('has fewer tasks on a page the larger they are, and each of them once', async () => {
    const ids = [];
    for (const megabytes of [0, 5, 5, 9, 0, 0]) {
      const id = await make({}, WORKING);
      await hub.append(id, chunk('x'.repeat(megabytes * 1024 * 1024)));
      ids.push(id);
      await hub.clock.advance(1000);
    }
    const { ids: listed, sizes } = await walk({}, mine, 6);
    expect(listed).toEqual(ids.reverse());
    expect(sizes).toEqual([2, 1, 1, 2]);
  });

  it('breaks ties of the same moment by id, and no page repeats or skips one', async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, (_, n) => make({}, n % 2 === 0 ? WORKING : COMPLETED)),
    );
    const { ids: listed, sizes } = await walk({}, mine, 4);
    expect(listed).toEqual(ids.sort().reverse());
    expect(sizes).toEqual([4, 4]);
  });

  it('filters by context, state, time and agent, and by all of them together', async () => {
    const old = await make({ contextId: 'c1' }, COMPLETED);
    await hub.clock.advance(60_000);
    const since = hub.clock.now();
    const working = await make({ contextId: 'c1', agents: ['a1', 'a2'] }, WORKING);
    const other = await make({ contextId: 'c2', agents: ['a2'] }, COMPLETED);

    const ids = async (filter: TaskFilter): Promise<string[]> => {
      const page = await hub.store.list(filter, mine, 10, null);
      expect(page.totalSize).toBe(page.tasks.length);
      return page.tasks.map(({ record }) => record.id).sort();
    };
    expect(await ids({ contextId: 'c1' })).toEqual([old, working].sort());
    expect(await ids({ state: COMPLETED })).toEqual([old, other].sort());
    expect(await ids({ statusAfter: since })).toEqual([working, other].sort());
    expect(await ids({ agentId: 'a2' })).toEqual([working, other].sort());
    expect(await ids({ agentId: 'a1' })).toEqual([old, working].sort());
    expect(await ids({ agentId: 'a1', contextId: 'c1', statusAfter: since })).toEqual([working]);
    expect(await ids({ agentId: 'a2', state: COMPLETED, statusAfter: since })).toEqual([other]);
    expect(await ids({ contextId: 'nowhere' })).toEqual([]);
    expect(await ids({ agentId: 'odd\u0000' })).toEqual([]);
    expect(await ids({ statusBefore: since })).toEqual([old]);
    expect(await ids({ statusAfter: since, statusBefore: since })).toEqual([]);
  });

  it('filters by principal and organization, never beyond what the caller may see', async () => {
    const alices = await make({ principal: ALICE }, WORKING);
    const bobs = await make({ principal: BOB }, WORKING);
    const eves = await make({ principal: EVE }, WORKING);
    const ids = async (filter: TaskFilter, visibility: Visibility): Promise<string[]> =>
      (await walk(filter, visibility)).ids.sort();
    const { organization } = EVE;
    expect(await ids({ organization: ALICE.organization }, EVERYTHING)).toEqual(
      [alices, bobs].sort(),
    );
    expect(await ids({ principalId: BOB.id }, EVERYTHING)).toEqual([bobs]);
    expect(await ids({ principalId: BOB.id, organization }, EVERYTHING)).toEqual([]);
    expect(await ids({ organization }, EVERYTHING)).toEqual([eves]);
    expect(await ids({ organization }, mine)).toEqual([]);
    expect(await ids({ principalId: BOB.id }, mine)).toEqual([]);
  });

  it('shows a principal its own tasks, an organization its own, operators all', async () => {
    const alices = await make({ principal: ALICE }, WORKING);
    const bobs = await make({ principal: BOB }, WORKING);
    const eves = await make({ principal: EVE }, WORKING);
    const namesake = await make({ principal: { ...ALICE, organization: 'evil' } }, WORKING);
    const organization = visibilityOf({ ...ALICE, scopes: new Set(['tasks:organization']) });

    for (const [visibility, expected] of [
      [visibilityOf(ALICE), [alices]],
      [visibilityOf(EVE), [eves]],
      [organization, [alices, bobs]],
      [EVERYTHING, [alices, bobs, eves, namesake]],
    ] as const) {
      for (const filter of [{}, { state: WORKING }, { contextId: 'context-1' }]) {
        const { ids, totals } = await walk(filter, visibility, 10);
        expect(ids.sort()).toEqual([...expected].sort());
        expect(totals).toEqual([expected.length]);
      }
    }
  });

  it('gives whole tasks: from checkpoints, and from logs without one', async () => {
    const ended = await make({ text: 'one' });
    await hub.append(ended, chunk('a', 'result', false), status(COMPLETED, hub.clock.now()));
    const running = await make({ text: 'two' });
    await hub.append(running, chunk('b', 'result', false), chunk('c'));
    const page = await hub.store.list({}, mine, 10, null);
    expect(page.next).toBeNull();
    for (const task of page.tasks) expect(task).toEqual(await hub.load(task.record.id));
    const byId = new Map(page.tasks.map((task) => [task.record.id, texts(task)]));
    expect([byId.get(ended), byId.get(running)]).toEqual([['a'], ['b', 'c']]);
  });

  if (databases.dialect === 'sqlite') {
    it('counts from an index alone and finds a page without sorting tasks', async () => {
      const plans = async (filter: TaskFilter, visibility: Visibility): Promise<string[]> => {
        const explained: string[] = [];
        const read = database.read.bind(database);
        database.read = (sql, params) => {
          if (sql.includes('FROM tasks')) explained.push(sql);
          return read(sql, params);
        };
        await hub.store.list(filter, visibility, 50, null);
        database.read = read;
        const details = await Promise.all(
          explained.map((sql) =>
            read<{ detail: string }>(
              `EXPLAIN QUERY PLAN ${sql}`,
              Array(sql.split('?').length - 1).fill(null),
            ),
          ),
        );
        return details.flat().map(({ detail }) => detail);
      };
      const organization: Visibility = { kind: 'organization', organization: 'acme' };
      for (const visibility of [mine, organization, EVERYTHING]) {
        for (const filter of [{}, { state: WORKING }, { statusAfter: new Date(0) }]) {
          const steps = (await plans(filter, visibility)).filter((step) => / t( |$)/.test(step));
          expect(steps.length).toBeGreaterThan(1);
          for (const step of steps) expect(step).toMatch(/^(SEARCH|SCAN) t USING COVERING INDEX/);
        }
      }
    });
  }
}
