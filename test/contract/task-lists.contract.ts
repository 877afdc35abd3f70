import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { EVERYTHING, visibilityOf, type Visibility } from '../../src/auth/index.js';
import type { Database } from '../../src/database/database.js';
import type { TaskState } from '../../src/protocol/a2a.js';
import { TERMINAL_STATES } from '../../src/protocol/task-state.js';
import { SqlTaskRetries } from '../../src/tasks/persistence/sql-task-retries.js';
import { DELEGATIONS, TASKS } from '../../src/tasks/persistence/task-rows.js';
import type { TaskCursor, TaskFilter } from '../../src/tasks/store/task-store.js';
import type { DatabaseFactory } from '../support/databases.js';
import { stepsOf } from '../support/query-plans.js';
import {
  ALICE,
  BOB,
  chunk,
  COMPLETED,
  EVE,
  FAR,
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

  afterEach(() => void jest.restoreAllMocks());

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

  it('reads no long row before it fits its page and there is room for it', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const ids = [];
    for (const requestMetadata of [{ text }, { text }, { text }, { text }, null]) {
      ids.push(await make({ requestMetadata }, WORKING));
      await hub.clock.advance(1000);
    }
    const [a, b, c, d, small] = ids as [string, string, string, string, string];
    // As it is where nothing of the row counted yet.
    await database.write((tx) => tx.run('UPDATE tasks SET stored_bytes = 1000'));
    const reads = jest.spyOn(database, 'read');
    const bytesRead = async (): Promise<number> =>
      JSON.stringify(await Promise.all(reads.mock.results.map(({ value }) => value))).length;
    const first = [small, d, c];
    for (const filter of [{}, { contextId: 'context-1' }, { state: WORKING }, { agentId: 'a1' }]) {
      reads.mockClear();
      const reserved: number[] = [];
      const reserve = async (bytes: number): Promise<void> => {
        reserved.push(bytes);
        expect(await bytesRead()).toBeLessThan(100_000);
      };
      const page = await hub.store.list(filter, mine, 10, null, reserve);
      expect(page.tasks.map(({ record }) => record.id)).toEqual(first);
      expect(reserved).toEqual([expect.any(Number)]);
      expect(reserved[0]).toBeGreaterThan(2 * text.length);
      expect(await bytesRead()).toBeLessThan(2.1 * text.length);
      const { tasks, next } = await hub.store.list(filter, mine, 10, page.next);
      expect(tasks.map(({ record }) => record.id)).toEqual([b, a]);
      expect(next).toBeNull();
      expect([...page.tasks, ...tasks]).toEqual(
        await Promise.all([...first, b, a].map((id) => hub.load(id))),
      );
    }
  });

  it('reads the long row of one task once there is room for it', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const id = await make({ requestMetadata: { text } }, WORKING);
    const reads = jest.spyOn(database, 'read');
    const reserve = async (bytes: number): Promise<void> => {
      expect(bytes).toBeGreaterThan(text.length);
      const rows = await Promise.all(reads.mock.results.map(({ value }) => value));
      expect(JSON.stringify(rows).length).toBeLessThan(100_000);
    };
    const task = await hub.store.load(id, mine, reserve);
    expect(task?.record.requestMetadata).toEqual({ text });
    reads.mockClear();
    expect((await hub.store.open(id, reserve))?.aggregate).toEqual(task);
    reads.mockClear();
    expect(await hub.store.load(id, visibilityOf(BOB), reserve)).toBeUndefined();
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('leaves out of a page what ended, or is gone, before its long row was read', async () => {
    const requestMetadata = { text: 'x'.repeat(100_000) };
    const [ended, gone, left] = [
      await make({ requestMetadata }, WORKING),
      await make({ requestMetadata }, WORKING),
      await make({ requestMetadata }, WORKING),
    ];
    const read = database.read.bind(database);
    let isMoved = false;
    const moved = async (...given: Parameters<typeof read>): Promise<unknown[]> => {
      const rows = await read(...given);
      if (isMoved || !given[0].includes('long_bytes')) return rows;
      isMoved = true;
      for (const id of [ended, gone]) await hub.append(id, status(COMPLETED, hub.clock.now()));
      await hub.store.deleteTask(gone, hub.clock.now(), false);
      return rows;
    };
    jest.spyOn(database, 'read').mockImplementation(moved as typeof read);
    const working = await hub.store.list({ state: WORKING }, mine, 10, null);
    expect(working.tasks.map(({ record }) => record.id)).toEqual([left]);
    expect(isMoved).toBe(true);
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

  it('counts by owner and by how tasks ended, also when some are deleted', async () => {
    const states = [WORKING, ...TERMINAL_STATES];
    for (const principal of [ALICE, BOB, EVE]) {
      for (const state of states) await make({ principal }, WORKING, state);
    }
    await make({ principal: BOB }, COMPLETED);
    const organization = visibilityOf({ ...ALICE, scopes: new Set(['tasks:organization']) });
    const totals = async (): Promise<number[][]> => {
      const counted = [];
      for (const visibility of [mine, organization, EVERYTHING]) {
        const row = [];
        for (const filter of [{}, ...states.map((state) => ({ state }))]) {
          row.push((await hub.store.list(filter, visibility, 1, null)).totalSize);
        }
        counted.push(row);
      }
      return counted;
    };
    expect(await totals()).toEqual([
      [5, 1, 1, 1, 1, 1],
      [11, 2, 3, 2, 2, 2],
      [16, 3, 4, 3, 3, 3],
    ]);
    const { taskIds } = await hub.store.forgetTasks(FAR, 100, null);
    expect(taskIds).toHaveLength(13);
    expect(await totals()).toEqual([
      [1, 1, 0, 0, 0, 0],
      [2, 2, 0, 0, 0, 0],
      [3, 3, 0, 0, 0, 0],
    ]);
    const { totalSize } = await hub.store.list({}, visibilityOf(BOB), 1, null);
    expect(totalSize).toBe(1);
  });

  it('counts many thousands by time and agent, with several at one moment', async () => {
    const id = await make({ agents: ['a1'] }, COMPLETED);
    const names = TASKS.select().names.split(', ');
    const copied = (table: string, columns: string[], from: string): string =>
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
       INSERT INTO ${table} (${columns.join(', ')}) ${from}`;
    const at = hub.clock.now().getTime();
    await database.write(function* (tx) {
      const values = names.map((name) => {
        if (name === 'id') return `'copy-' || n.i`;
        return name === 'status_at' ? `${at} - n.i / 900` : name;
      });
      yield* tx.run(
        copied('tasks', names, `SELECT ${values.join(', ')} FROM tasks CROSS JOIN n WHERE id = ?`),
        [id],
      );
      const columns = DELEGATIONS.select().names.split(', ');
      const ofTask = columns.map((name) => {
        if (name === 'id' || name === 'task_id') return `'copy-' || n.i`;
        return name === 'agent_id' ? `CASE WHEN n.i % 3 = 0 THEN 'a2' ELSE 'a1' END` : name;
      });
      yield* tx.run(
        copied(
          'delegations',
          columns,
          `SELECT ${ofTask.join(', ')} FROM delegations CROSS JOIN n WHERE task_id = ?`,
        ),
        [id],
      );
    });
    const total = async (filter: TaskFilter, visibility = mine): Promise<number> =>
      (await hub.store.list(filter, visibility, 1, null)).totalSize;
    const statusAfter = new Date(0);
    expect(await total({ statusAfter })).toBe(6001);
    expect(await total({ statusAfter, state: COMPLETED })).toBe(6001);
    expect(await total({ statusAfter, state: WORKING })).toBe(0);
    expect(await total({ statusAfter: new Date(at - 1) })).toBe(1800);
    expect(await total({ agentId: 'a2' })).toBe(2000);
    expect(await total({ agentId: 'a1', statusAfter })).toBe(4001);

    const { contextId } = (await hub.load(id)).record;
    const twoPages = async (filter: TaskFilter, visibility = mine) => {
      const first = await hub.store.list(filter, visibility, 60, null);
      const second = await hub.store.list(filter, visibility, 60, first.next);
      const ids = [...first.tasks, ...second.tasks].map(({ record }) => record.id);
      return { ids, totals: [first.totalSize, second.totalSize] };
    };
    const { ids: newest } = await twoPages({});
    const organization: Visibility = { kind: 'organization', organization: 'acme' };
    for (const visibility of [mine, organization, EVERYTHING]) {
      for (const filter of [
        { contextId },
        { contextId, state: COMPLETED, statusAfter },
        { statusAfter },
      ]) {
        expect(await twoPages(filter, visibility)).toEqual({ ids: newest, totals: [6001, 6001] });
      }
    }
    const ofA2 = await twoPages({ agentId: 'a2' });
    expect(ofA2.totals).toEqual([2000, 2000]);
    expect(new Set(ofA2.ids).size).toBe(120);
    expect(ofA2.ids.every((each) => Number(each.slice('copy-'.length)) % 3 === 0)).toBe(true);
    expect(await twoPages({ agentId: 'a2', contextId }, EVERYTHING)).toEqual(ofA2);
    expect(await total({ contextId, statusAfter: new Date(at - 1) })).toBe(1800);
    expect(await total({ contextId }, visibilityOf(BOB))).toBe(0);
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
    it.each([1, 50, 200])(
      'begins with the retries of %d tasks, not with all of their owners',
      async (count) => {
        const ids = Array.from({ length: count }, (_, index) => `task-${index}`);
        const steps = await stepsOf(database, () => new SqlTaskRetries(database).newestOf(ids));
        const reads = steps.filter((step) => / [rt] USING/.test(step));
        expect(reads).toEqual([
          expect.stringMatching(/^SEARCH r USING INDEX tasks_retry_idx \(retry_of=\?\)/),
          expect.stringMatching(
            /^SEARCH t USING (PRIMARY KEY|INDEX sqlite_autoindex_tasks_1) \(id=\?\)/,
          ),
        ]);
      },
    );

    it('counts from an index alone and finds a page without sorting tasks', async () => {
      const plans = (filter: TaskFilter, visibility: Visibility): Promise<string[]> =>
        stepsOf(database, () => hub.store.list(filter, visibility, 50, null));
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
