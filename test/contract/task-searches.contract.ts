import { beforeEach, expect, it } from '@jest/globals';
import { EVERYTHING, type Visibility } from '../../src/auth/index.js';
import type { Database } from '../../src/database/database.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { nameOfState, TASK_STATES } from '../../src/protocol/task-state.js';
import { DELEGATIONS, TASKS } from '../../src/tasks/persistence/task-rows.js';
import type { TaskCursor, TaskSearch } from '../../src/tasks/store/task-store.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  change,
  COMPLETED,
  EVE,
  newTask,
  status,
  TaskHarness,
  type TaskOptions,
  WORKING,
} from './task-harness.js';

const { TASK_STATE_FAILED: FAILED, TASK_STATE_SUBMITTED: SUBMITTED } = TaskState;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

/** What operators are promised who look for tasks. */
export function taskSearchesContract(databases: DatabaseFactory): void {
  let database: Database;
  let hub: TaskHarness;

  beforeEach(async () => {
    database = await databases.openEmptied();
    hub = new TaskHarness(database);
  });

  async function make(options: TaskOptions = {}, ...states: TaskState[]): Promise<string> {
    await hub.clock.advance(1000);
    const { record } = await hub.create(options);
    for (const state of states) await hub.append(record.id, status(state, hub.clock.now()));
    return record.id;
  }

  /** The ids of all pages; pages without tasks among them are counted. */
  async function found(
    search: TaskSearch,
    visibility: Visibility = EVERYTHING,
    limit = 2,
  ): Promise<{ ids: string[]; empty: number }> {
    const result = { ids: [] as string[], empty: 0 };
    let after: TaskCursor | null = null;
    do {
      const page = await hub.store.search(search, visibility, limit, after);
      expect(page.tasks.length).toBeLessThanOrEqual(limit);
      result.ids.push(...page.tasks.map(({ record }) => record.id));
      if (page.tasks.length === 0) result.empty += 1;
      after = page.next;
    } while (after !== null);
    return result;
  }

  const ids = async (search: TaskSearch, visibility?: Visibility): Promise<string[]> =>
    (await found(search, visibility)).ids;

  /** Of the states that there are tasks in. */
  const counts = async (search: TaskSearch, visibility: Visibility = EVERYTHING) => {
    const found = await hub.store.countStates(search, visibility);
    expect(found).toHaveLength(TASK_STATES.length);
    return Object.fromEntries(
      found
        .filter(({ count, isLeast }) => count > 0 || isLeast)
        .map(({ state, count, isLeast }) => [nameOfState(state), isLeast ? `${count}+` : count]),
    );
  };

  const ruled = (id: string): TaskOptions => {
    const { route } = newTask().record;
    return { route: { ...route, reason: 'rule', rule: { id, name: 'R' } } };
  };

  it('finds those of several states, newest status first, over all pages', async () => {
    const [a, b, c, d] = [
      await make({}, WORKING),
      await make({}, WORKING, COMPLETED),
      await make(),
      await make({}, WORKING),
    ];
    expect(await ids({})).toEqual([d, c, b, a]);
    expect(await ids({ states: [WORKING, COMPLETED] })).toEqual([d, b, a]);
    expect(await ids({ states: [SUBMITTED] })).toEqual([c]);
    expect(await ids({ states: [FAILED] })).toEqual([]);
  });

  it('finds those of a rule, those that ended for a reason, and those of both', async () => {
    const one = await make(ruled('r1'), WORKING);
    const two = await make(ruled('r2'), WORKING);
    await make({}, WORKING);
    const failed = await make(ruled('r1'), WORKING);
    const [{ id }] = (await hub.load(failed)).delegations as unknown as [{ id: string }];
    const progress = { artifacts: [], endCode: 'AGENT_TIMEOUT' } as const;
    await hub.log.update(failed, () =>
      change({
        events: [status(FAILED, hub.clock.now())],
        delegations: [{ id, state: 'failed', progress }],
      }),
    );
    // What is written after the end does not take it away.
    await hub.log.update(failed, () =>
      change({ events: [], delegations: [{ id, cancelPending: false, reason: 'later' }] }),
    );
    expect(await ids({ ruleIds: ['r1'] })).toEqual([failed, one]);
    expect(await ids({ ruleIds: ['r1', 'r2'] })).toEqual([failed, two, one]);
    expect(await ids({ ruleIds: ['r3'] })).toEqual([]);
    expect(await ids({ endCode: 'AGENT_TIMEOUT' })).toEqual([failed]);
    expect(await ids({ endCode: 'AGENT_FAILED' })).toEqual([]);
    expect(await ids({ endCode: 'AGENT_TIMEOUT', ruleIds: ['r1'] })).toEqual([failed]);
    expect(await ids({ endCode: 'AGENT_TIMEOUT', ruleIds: ['r2'] })).toEqual([]);
    expect(await ids({ ruleIds: ['r1'], states: [WORKING] })).toEqual([one]);
    // Of a delegation, whatever became of its task.
    expect(await ids({ partEndCode: 'AGENT_TIMEOUT' })).toEqual([failed]);
    expect(await ids({ partEndCode: 'AGENT_FAILED' })).toEqual([]);
    expect(await counts({ partEndCode: 'AGENT_TIMEOUT' })).toEqual({ failed: 1 });
    // An agent leads to few tasks: the rest counts as well.
    const [{ agentId }] = (await hub.load(failed)).delegations as unknown as [{ agentId: string }];
    expect(await ids({ agentId, ruleIds: ['r2'] })).toEqual([two]);
    expect(await ids({ agentId, endCode: 'AGENT_TIMEOUT' })).toEqual([failed]);
    expect(await ids({ agentId, endCode: 'AGENT_FAILED' })).toEqual([]);
    expect(await counts({ ruleIds: ['r1'] })).toEqual({ working: 1, failed: 1 });
    expect(await counts({ agentId, endCode: 'AGENT_TIMEOUT' })).toEqual({ failed: 1 });
    expect(await counts({ ruleIds: ['none'] })).toEqual({});
  });

  it('counts those of each state, whatever states are looked for', async () => {
    const from = hub.clock.now();
    await make({ agents: ['x'] }, WORKING);
    await make({ agents: ['y'] }, WORKING);
    const to = hub.clock.now();
    await make({ agents: ['x'], principal: EVE });
    await make({ contextId: 'c' }, WORKING, COMPLETED);
    const all = { submitted: 1, working: 2, completed: 1 };
    expect(await counts({})).toEqual(all);
    expect(await counts({ states: [FAILED] })).toEqual(all);
    expect(await counts({ agentId: 'x' })).toEqual({ submitted: 1, working: 1 });
    expect(await counts({ contextId: 'c' })).toEqual({ completed: 1 });
    expect(await counts({ createdBefore: to })).toEqual({ working: 1 });
    expect(await counts({ createdAfter: to })).toEqual({ ...all, working: 1 });
    expect(await counts({ createdAfter: from, statusBefore: to })).toEqual({ working: 1 });
    const view = { kind: 'organization', organization: 'acme' } as const;
    expect(await counts({}, view)).toEqual({ working: 2, completed: 1 });
    expect(await counts({ principalId: EVE.id })).toEqual({ submitted: 1 });
    expect(await counts({ principalId: EVE.id }, view)).toEqual({});
    expect(await counts({ organization: EVE.organization }, view)).toEqual({});
  });

  it('finds those of an agent, of a skill, and of a skill of an agent', async () => {
    const skill = (skillId: string): TaskOptions => ({ delegation: () => ({ skillId }) });
    const a = await make({ agents: ['x'], ...skill('sum') });
    const b = await make({ agents: ['x', 'y'], ...skill('add') });
    const c = await make({ agents: ['z'], ...skill('sum') });
    expect(await ids({ agentId: 'x' })).toEqual([b, a]);
    expect(await ids({ skillId: 'sum' })).toEqual([c, a]);
    expect(await ids({ skillId: 'sum', agentId: 'x' })).toEqual([a]);
    expect(await ids({ skillId: 'sum', agentId: 'y' })).toEqual([]);
  });

  it('finds one by its id, its context or its trace, and nothing by a part of them', async () => {
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    const a = await make({ contextId: 'c-1', traceparent });
    const b = await make({ contextId: 'c-2', traceparent });
    expect(await ids({ text: a })).toEqual([a]);
    expect(await ids({ text: 'c-2' })).toEqual([b]);
    expect(await ids({ contextId: 'c-2' })).toEqual([b]);
    expect(await ids({ text: TRACE.toUpperCase() })).toEqual([b, a]);
    expect(await ids({ text: TRACE, contextId: 'c-1' })).toEqual([a]);
    for (const text of [a.slice(1), 'c-', '%', '', '\u0000'])
      expect(await ids({ text })).toEqual([]);
  });

  it('finds those that were begun in a time, whatever became of them since', async () => {
    const a = await make();
    const from = hub.clock.now();
    const b = await make();
    await make();
    await hub.append(a, status(WORKING, hub.clock.now()));
    const to = new Date(from.getTime() + 2000);
    expect(await ids({ createdAfter: from, createdBefore: to })).toEqual([a, b]);
    expect(await ids({ createdAfter: new Date(from.getTime() + 1), createdBefore: to })).toEqual([
      b,
    ]);
  });

  it('finds nothing of others, whatever is looked for', async () => {
    const mine = await make({ ...ruled('r'), agents: ['x'], contextId: 'c' });
    const theirs = await make({ ...ruled('r'), agents: ['x'], contextId: 'c', principal: EVE });
    const view = { kind: 'organization', organization: 'acme' } as const;
    const searches: TaskSearch[] = [
      {},
      { ruleIds: ['r'] },
      { agentId: 'x' },
      { contextId: 'c' },
      { text: 'c' },
      { states: [SUBMITTED] },
    ];
    for (const search of searches) {
      expect([search, await ids(search)]).toEqual([search, [theirs, mine]]);
      expect([search, await ids(search, view)]).toEqual([search, [mine]]);
      const own = { ...search, principalId: EVE.id };
      expect([search, await ids(own)]).toEqual([search, [theirs]]);
      expect([search, await ids(own, view)]).toEqual([search, []]);
      const organization = { ...search, organization: EVE.organization };
      expect([search, await ids(organization)]).toEqual([search, [theirs]]);
      expect([search, await ids(organization, view)]).toEqual([search, []]);
    }
    expect(await ids({ text: theirs }, view)).toEqual([]);
  });

  it('has fewer tasks in a page when they are large, one at least, and loses none', async () => {
    const text = JSON.stringify({ artifacts: [], more: 'x'.repeat(3 * 1024 * 1024) });
    const large = async (): Promise<string> => {
      const id = await make();
      await database.write((tx) =>
        tx.run('UPDATE delegations SET progress = ? WHERE task_id = ?', [text, id]),
      );
      return id;
    };
    const [a, b, c, d] = [await large(), await large(), await large(), await make()];
    const reserved: number[] = [];
    const reserve = (bytes: number): Promise<void> => Promise.resolve(void reserved.push(bytes));
    const first = await hub.store.search({}, EVERYTHING, 10, null, reserve);
    expect(first.tasks.map(({ record }) => record.id)).toEqual([d, c, b]);
    expect(reserved).toHaveLength(1);
    expect(reserved[0]).toBeGreaterThan(2 * text.length);
    const second = await hub.store.search({}, EVERYTHING, 10, first.next, reserve);
    expect(second.tasks.map(({ record }) => record.id)).toEqual([a]);
    expect(second.next).toBeNull();
    expect(await ids({})).toEqual([d, c, b, a]);
  });

  it('looks at no more than so many tasks for one page, and goes on behind them', async () => {
    const last = await make({ agents: ['x'], delegation: () => ({ skillId: 'rare' }) });
    const first = await make({ agents: ['x'], delegation: () => ({ skillId: 'often' }) });
    await copy('tasks', TASKS.select().names, first, 'id');
    await copy('delegations', DELEGATIONS.select().names, first, 'task_id');
    const rare = await found({ skillId: 'rare' });
    expect(rare.ids).toEqual([last]);
    expect(rare.empty).toBeGreaterThanOrEqual(1);
    expect((await found({ skillId: 'none', agentId: 'x' })).ids).toEqual([]);
    const page = await hub.store.search({ skillId: 'often' }, EVERYTHING, 50, null);
    expect(page.tasks).toHaveLength(50);
  }, 60_000);

  it('loses none of a context with many tasks, nor those of an organization behind the many of another', async () => {
    const theirs = await make({ contextId: 'shared', principal: EVE });
    await copy('tasks', TASKS.select().names, theirs, 'id', 2500);
    const newest = await make({ contextId: 'shared', principal: EVE });
    const mine = await make({ contextId: 'shared' });
    expect(await counts({})).toEqual({ submitted: '1000+' });
    expect(await counts({ text: 'shared' })).toEqual({ submitted: '1000+' });
    const view = { kind: 'organization', organization: 'acme' } as const;
    expect(await ids({ text: 'shared' }, view)).toEqual([mine]);
    expect(await counts({ text: 'shared' }, view)).toEqual({ submitted: 1 });
    const page = await hub.store.search({ text: 'shared' }, EVERYTHING, 2, null);
    expect(page.tasks.map(({ record }) => record.id)).toEqual([mine, newest]);
    const all = await found({ text: 'shared' }, EVERYTHING, 1000);
    expect(new Set(all.ids).size).toBe(2503);
    expect(
      (await found({ text: 'shared', principalId: EVE.id }, EVERYTHING, 1000)).ids,
    ).toHaveLength(2502);
  }, 60_000);

  /** So many more of a task or its delegation, each a millisecond older than the one before. */
  const copy = (
    table: string,
    names: string,
    id: string,
    key: string,
    count = 21_000,
  ): Promise<unknown> => {
    const values = names.split(', ').map((name) => {
      if (name === 'id' || name === 'task_id') return `'copy-' || n.i`;
      return name === 'status_at' ? 'status_at - n.i / 100' : name;
    });
    return hub.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM ${table} CROSS JOIN n WHERE ${key} = ?`,
        [id],
      ),
    );
  };
}
