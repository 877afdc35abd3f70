import { expect, it, jest } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import {
  type AppliedLimit,
  type Charge,
  type LimitSubject,
  monthOf,
  type SpendingGroup,
  type SpendingSum,
} from '../../src/limits/index.js';
import type { SpendingFilter } from '../../src/limits/spending.js';
import type { Price } from '../../src/limits/domain/price.js';
import type { LimitWarning } from '../../src/tasks/store/limit-levels.js';
import type { DelegationPatch } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  ALICE,
  BOB,
  COMPLETED,
  newTask,
  status,
  TaskHarness,
  type TaskOptions,
} from './task-harness.js';

const OF: LimitSubject = { organization: null, principal: null, agent: null, skill: null };
const ACME = { ...OF, organization: 'acme' };
const OF_ALICE = { organization: 'acme', principalId: 'alice' };
const TASK: Price = {
  agent: null,
  skill: null,
  unit: 'EUR',
  perTask: 0.1,
  usage: { tokens: 0.001 },
};

const budget = (subject: Partial<LimitSubject>, max: number, per: 'Day' | 'Month' = 'Month') =>
  ({
    ...{ subject: { ...OF, ...subject }, kind: `budgetPer${per}`, unit: 'EUR', max, takes: 0 },
  }) satisfies AppliedLimit;

/** What is promised of prices and budgets, whichever process ends the tasks. */
export function spendingContract(databases: DatabaseFactory): void {
  async function harness(budgets: readonly AppliedLimit[], prices = [TASK]): Promise<TaskHarness> {
    const hub = new TaskHarness(await databases.openEmptied());
    hub.prices.push(...prices);
    hub.budgets.push(...budgets);
    return hub;
  }
  async function begin(
    hub: TaskHarness,
    limits: readonly AppliedLimit[] = [],
    options: TaskOptions = {},
  ): Promise<{ id: string; delegations: readonly { id: string }[] }> {
    const created = await hub.log.create({ limits, ...newTask(options, hub.clock.now()) });
    if (created.kind !== 'created') throw new Error('not created');
    return { id: created.aggregate.record.id, delegations: created.aggregate.delegations };
  }
  async function end(
    hub: TaskHarness,
    { id, delegations }: Awaited<ReturnType<typeof begin>>,
    patch: Partial<DelegationPatch> = {},
  ): Promise<void> {
    await hub.log.update(id, () => ({
      change: {
        events: [status(COMPLETED, hub.clock.now())],
        delegations: delegations.map((each) => ({ state: 'completed', ...patch, id: each.id })),
      },
      result: undefined,
    }));
  }
  const using = (tokens: number): Partial<DelegationPatch> => ({
    progress: { artifacts: [], usage: { tokens } },
  });
  const usedOf = (hub: TaskHarness, ...limits: readonly AppliedLimit[]) =>
    hub.limits.used(
      limits.map((limit) => ({ limit, owner: OF_ALICE })),
      hub.clock.now(),
    );
  const sums = (hub: TaskHarness, ...by: Parameters<TaskHarness['spending']['sums']>[1]) =>
    hub.spending.sums({}, by, 100);

  it('counts what every task has cost exactly, whichever process ends it, and refuses the next', async () => {
    const acme = budget(ACME, 4);
    const first = await harness([acme]);
    const hubs = [first, first.another(), first.another()];
    const tasks = await Promise.all(
      Array.from({ length: 30 }, (_, index) => begin(hubs[index % 3]!, [acme])),
    );
    await Promise.all(tasks.map((task, index) => end(hubs[(index + 1) % 3]!, task, using(50))));
    expect(await usedOf(first, acme)).toEqual([4.5]);
    const refused = await begin(first.another(), [acme]).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      reason: 'QUOTA_EXCEEDED',
      message:
        'The quota organization.budgetPerMonth is used up: the organization "acme" has spent 4.5 EUR this month of 4. It begins anew with the next month (UTC).',
      metadata: {
        ...{ quota: 'organization.budgetPerMonth', current: '4.5', limit: '4', unit: 'EUR' },
        retryAfterSeconds: expect.any(String),
      },
    });
    expect(refused).toBeInstanceOf(HubError);
    expect(await sums(first, 'organization', 'agent')).toEqual([
      {
        ...{ month: null, organization: 'acme', principal: null, agent: 'a1', skill: null },
        ...{ unit: 'EUR', amount: 4_500_000, tasks: 30 },
      },
    ]);
  });

  it('counts a task once, at its end, and what nobody has taken not at all', async () => {
    const hub = await harness([]);
    const taken = await begin(hub);
    await hub.log.update(taken.id, () => ({
      change: {
        events: [],
        delegations: [{ id: taken.delegations[0]!.id, state: 'working', ...using(7) }],
      },
      result: undefined,
    }));
    expect(await sums(hub)).toEqual([]);
    await end(hub, taken, using(10));
    await end(hub, taken, using(10)).catch(() => undefined);
    await end(hub, await begin(hub), { state: 'failed' });
    await end(hub, await begin(hub), { state: 'skipped' });
    await end(hub, await begin(hub), { state: 'rejected' });
    expect(await sums(hub)).toMatchObject([{ amount: 110_000, tasks: 1 }]);
    await end(hub, await begin(hub), { state: 'rejected', ...using(5) });
    expect(await sums(hub)).toMatchObject([{ amount: 115_000, tasks: 2 }]);
  });

  it('prices a skill before its agent and that before all, each unit by itself', async () => {
    const price = (members: Partial<Price>): Price => ({ ...TASK, usage: {}, ...members });
    const hub = await harness(
      [],
      [
        price({ perTask: 1 }),
        price({ agent: 'a1', perTask: 2 }),
        price({ skill: 'a1.s', perTask: 3 }),
        price({ unit: 'tokens', perTask: 0, usage: { tokens: 1 } }),
      ],
    );
    const ofSkill = { delegation: () => ({ skillId: 's' }) };
    await end(hub, await begin(hub, [], { agents: ['a0'] }), using(4));
    await end(hub, await begin(hub, [], { agents: ['a1'], principal: BOB }));
    await end(hub, await begin(hub, [], { agents: ['a1'], ...ofSkill }));
    expect(
      (await sums(hub, 'principal', 'skill')).map((each) => [
        ...[each.principal, each.agent, each.skill, each.unit, each.amount],
      ]),
    ).toEqual([
      ['alice', 'a0', null, 'EUR', 1_000_000],
      ['alice', 'a0', null, 'tokens', 4_000_000],
      ['alice', 'a1', 'a1.s', 'EUR', 3_000_000],
      ['alice', 'a1', 'a1.s', 'tokens', 0],
      ['bob', 'a1', null, 'EUR', 2_000_000],
      ['bob', 'a1', null, 'tokens', 0],
    ]);
  });

  it('begins days and months anew at midnight UTC, and knows what a month saw before its budget', async () => {
    const hub = await harness([]);
    const to = (time: string) => hub.clock.advance(Date.parse(time) - hub.clock.now().getTime());
    await to('2026-02-28T23:59:00Z');
    await end(hub, await begin(hub), using(900));
    const [day, month] = [budget(ACME, 1, 'Day'), budget(ACME, 1)];
    const used = () => usedOf(hub, day, month);
    expect(await used()).toEqual([0, 1]);
    await expect(begin(hub, [month])).rejects.toMatchObject({
      metadata: { current: '1', retryAfterSeconds: '60' },
    });
    hub.budgets.push(day, month);
    const [one, two] = [await begin(hub, [day]), await begin(hub, [day])];
    await end(hub, one, using(900));
    expect(await used()).toEqual([1, 2]);
    await expect(begin(hub, [day])).rejects.toMatchObject({
      metadata: { quota: 'organization.budgetPerDay', retryAfterSeconds: '60' },
    });
    await to('2026-03-01T00:00:00Z');
    await begin(hub, [day, month]);
    await end(hub, two, using(0));
    expect(await used()).toEqual([0.1, 0.1]);
    expect(
      (await sums(hub, 'month')).map(({ month: each, amount }) => [each! % 12, amount]),
    ).toEqual([
      [2, 100_000],
      [1, 2_000_000],
    ]);
  });

  it('knows what a month saw while its budget was taken away, and reads that only when it must', async () => {
    const acme = budget(ACME, 5);
    const hub = await harness([acme], [{ ...TASK, perTask: 1 }]);
    await end(hub, await begin(hub, [acme]));
    const without = (process: TaskHarness) => {
      process.budgets.length = 0;
      process.limitChanges += 1;
    };
    const again = (process: TaskHarness) => {
      process.budgets.push(acme);
      process.limitChanges += 1;
    };
    without(hub);
    await end(hub, await begin(hub));
    again(hub);
    expect(await usedOf(hub, acme)).toEqual([2]);
    await end(hub, await begin(hub, [acme]));
    expect(await usedOf(hub, acme)).toEqual([3]);
    without(hub);
    for (const _ of [1, 2]) await end(hub, await begin(hub));
    again(hub);
    await expect(begin(hub, [acme])).rejects.toMatchObject({ metadata: { current: '5' } });

    const sum = jest.spyOn(hub.spending, 'sum');
    const readSum = jest.spyOn(hub.spending, 'readSum');
    await expect(begin(hub, [acme])).rejects.toMatchObject({ metadata: { current: '5' } });
    expect(await usedOf(hub, acme)).toEqual([5]);
    expect([sum.mock.calls.length, readSum.mock.calls.length]).toEqual([0, 0]);
  });

  it('knows within a minute what another process spent that had not heard of the budget', async () => {
    const acme = budget(ACME, 2);
    const hub = await harness([acme], [{ ...TASK, perTask: 1 }]);
    const other = hub.another();
    other.budgets.length = 0;
    await end(hub, await begin(hub, [acme]));
    await end(other, await begin(other));
    expect(await usedOf(hub, acme)).toEqual([1]);
    await hub.clock.advance(60_000);
    expect(await usedOf(hub, acme)).toEqual([2]);
    await expect(begin(hub, [acme])).rejects.toMatchObject({ metadata: { current: '2' } });
    // By then every process knows it.
    const sums = [jest.spyOn(hub.spending, 'sum'), jest.spyOn(hub.spending, 'readSum')];
    await hub.clock.advance(60_000);
    expect(await usedOf(hub, acme)).toEqual([2]);
    await expect(begin(hub, [acme])).rejects.toMatchObject({ metadata: { current: '2' } });
    expect(sums.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it('counts for every budget that concerns it, of the same unit alone', async () => {
    const budgets = [
      budget(ACME, 9),
      budget({ principal: 'alice' }, 9),
      budget({ agent: 'a1' }, 9),
      { ...budget({ skill: 'a1.s' }, 9), unit: 'USD' },
    ];
    const hub = await harness(budgets);
    await end(hub, await begin(hub, [], { principal: ALICE }));
    expect(await usedOf(hub, ...budgets)).toEqual([0.1, 0.1, 0.1, 0]);
    const openTasks = { subject: ACME, kind: 'openTasks', max: 9, takes: 1 } as const;
    await begin(hub, [], { principal: ALICE });
    // However many: in their order, those that have a counter and those that are counted.
    const many = Array.from({ length: 70 }, () => [openTasks, ...budgets]).flat();
    const expected = Array.from({ length: 70 }, () => [1, 0.1, 0.1, 0.1, 0]).flat();
    expect(await usedOf(hub, ...many)).toEqual(expected);
    expect(await usedOf(hub)).toEqual([]);
  });

  it('warns once when it is spent up to four fifths, and spends nothing of what is not stored', async () => {
    const acme = budget(ACME, 1);
    const hub = await harness([acme], [{ ...TASK, perTask: 0.4 }]);
    const warnings: LimitWarning[] = [];
    hub.limits.onWarned((warning) => warnings.push(warning));
    const broken = await begin(hub, [acme], { id: 'broken' });
    hub.participant.refuse.set('broken', 9);
    await end(hub, broken).catch(() => undefined);
    expect(await sums(hub)).toEqual([]);
    await end(hub, await begin(hub, [acme]));
    expect(warnings).toEqual([]);
    await end(hub, await begin(hub, [acme]));
    await end(hub, await begin(hub, [acme]));
    expect(warnings).toEqual([{ limit: acme, used: 0.8 }]);
  });

  it('is added up for pages in its order, in small pieces where that holds the event loop', async () => {
    const { spending, database } = await harness([]);
    const charges = Array.from({ length: 700 }, (_, n) => ({
      ...{ organization: `o${n % 3}`, principalId: `p${(n * 7) % 40}`, agentId: `a${n % 11}` },
      ...{ skillId: n % 5 === 0 ? null : `s${n % 2}`, unit: n % 2 ? 'EUR' : 'tokens', amount: n },
    }));
    const months = ['2026-01', '2026-02', '2026-03'].map((month) => new Date(`${month}-15`));
    for (const month of months) {
      await database.write((tx) => spending.add(tx, charges, month));
    }
    const pages = async (filter: SpendingFilter, by: readonly SpendingGroup[]) => {
      const all: SpendingSum[] = [];
      for (let page = await spending.sums(filter, by, 30); page.length > 0;) {
        all.push(...page);
        page = await spending.sums(filter, by, 30, all.at(-1));
      }
      return all;
    };
    const orderOf = ({ month, ...sum }: SpendingSum): string =>
      JSON.stringify([
        99_999 - (month ?? 0),
        sum.organization,
        sum.principal,
        sum.agent,
        sum.skill,
        sum.unit,
      ]);
    const filters: [SpendingFilter, (charge: Charge) => boolean, number][] = [
      [{}, () => true, 3],
      [{ organization: 'o1' }, ({ organization }) => organization === 'o1', 3],
      [
        { principal: 'p7', agent: 'a1' },
        (each) => each.principalId === 'p7' && each.agentId === 'a1',
        3,
      ],
      [{ agent: 'a3', toMonth: monthOf(months[1]!) }, ({ agentId }) => agentId === 'a3', 2],
      [{ unit: 'EUR', fromMonth: monthOf(months[2]!) }, ({ unit }) => unit === 'EUR', 1],
    ];
    for (const [filter, fits, times] of filters) {
      const amount = charges.filter(fits).reduce((sum, each) => sum + each.amount, 0) * times;
      for (const by of ['organization', 'principal', 'agent', 'skill'] as const) {
        for (const groups of [['month', by], [by]] as const) {
          const found = await pages(filter, groups);
          expect(found.reduce((sum, each) => sum + each.amount, 0)).toBe(amount);
          const inOrder = found.map(orderOf);
          expect(new Set(inOrder).size).toBe(inOrder.length);
          if (by !== 'skill') expect([...inOrder].sort()).toEqual(inOrder);
        }
      }
    }
    const read = jest.spyOn(database, 'read');
    await spending.sums({}, ['month', 'agent'], 10);
    const statements = read.mock.calls.filter(([sql]) => sql.includes('SUM(amount)'));
    read.mockRestore();
    if (database.dialect !== 'sqlite') return;
    expect(statements.length).toBeGreaterThan(1);
    // The page is of the newest month alone.
    const newest = monthOf(months[2]!);
    expect(new Set(statements.map(([, params]) => params?.[0]))).toEqual(new Set([newest]));
  });

  it('is added up for pages that follow each other, whatever is spent meanwhile', async () => {
    const { spending, database } = await harness([]);
    const spend = (organization: string, skillId: string | null = null) =>
      database.write((tx) => {
        const charge = { organization, principalId: 'p', agentId: 'a-b', skillId, unit: 'EUR' };
        return spending.add(tx, [{ ...charge, amount: 1 }], new Date('2026-01-15'));
      });
    for (const organization of ['a-b', 'ab', 'é']) await spend(organization);
    const by = ['month', 'organization'] as const;
    const first = await spending.sums({}, by, 2);
    expect(first.map(({ organization }) => organization)).toEqual(['a-b', 'ab']);
    await spend('a');
    await spend('b');
    const next = await spending.sums({}, by, 2, first.at(-1));
    expect(next.map(({ organization }) => organization)).toEqual(['b', 'é']);
    expect(await spending.sums({}, by, 2, next.at(-1))).toEqual([]);
    for (const skill of ['s.1', 's']) await spend('ab', skill);
    const skills: (string | null)[] = [];
    let place: SpendingSum | undefined;
    do {
      [place] = await spending.sums({}, ['month', 'skill'], 1, place);
      if (place !== undefined) skills.push(place.skill);
    } while (place !== undefined);
    expect(skills).toEqual([null, 'a-b.s', 'a-b.s.1']);
  });

  it('forgets months long past', async () => {
    const hub = await harness([]);
    await end(hub, await begin(hub));
    const month = (await sums(hub, 'month'))[0]!.month!;
    expect(await hub.spending.forget(month, 10)).toBe(0);
    expect(await hub.spending.forget(month + 1, 10)).toBe(1);
    expect(await sums(hub)).toEqual([]);
  });
}
