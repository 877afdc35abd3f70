import { expect, it, jest } from '@jest/globals';
import { HubError } from '../../src/common/hub-error.js';
import type { AppliedLimit, LimitKind, LimitSubject } from '../../src/limits/index.js';
import type { LimitWarning } from '../../src/tasks/store/limit-levels.js';
import type { DatabaseFactory } from '../support/databases.js';
import { BOB, COMPLETED, newTask, status, TaskHarness, type TaskOptions } from './task-harness.js';

const OF: LimitSubject = { organization: null, principal: null, agent: null, skill: null };
const ACME = { ...OF, organization: 'acme' };
const OF_ALICE = { organization: 'acme', principalId: 'alice' };

/** What is promised of limits, whichever process begins the tasks. */
export function exactLimitsContract(databases: DatabaseFactory): void {
  const limit = (subject: Partial<LimitSubject>, kind: LimitKind, max: number, takes = 1) => ({
    ...{ subject: { ...OF, ...subject }, kind, max, takes },
  });
  const begin = (hub: TaskHarness, limits: readonly AppliedLimit[], options: TaskOptions = {}) =>
    hub.log.create({ limits, ...newTask(options, hub.clock.now()) });
  const refusal = async (work: Promise<unknown>): Promise<HubError> => {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof HubError) return error;
    throw new Error(`not refused: ${String(error)}`);
  };

  it.each<[string, AppliedLimit]>([
    ['open tasks of an organization', limit(ACME, 'openTasks', 17)],
    ['open tasks of a principal', limit({ principal: 'alice' }, 'openTasks', 17)],
    ['open tasks of an agent', limit({ agent: 'a1' }, 'openTasks', 17)],
    ['open tasks of an organization at an agent', limit({ ...ACME, agent: 'a1' }, 'openTasks', 17)],
    ['open tasks of a skill', limit({ skill: 'a1.s' }, 'openTasks', 17)],
    ['tasks of a day', limit(ACME, 'tasksPerDay', 17)],
    ['tasks of an agent in a day', limit({ agent: 'a1' }, 'tasksPerDay', 17)],
    ['tasks of a month', limit(ACME, 'tasksPerMonth', 17)],
  ])('lets exactly as many begin as it says, of processes that race: %s', async (_, applied) => {
    const first = new TaskHarness(await databases.open());
    const hubs = [first, first.another(), first.another(), first.another()];
    const skillId = applied.subject.skill === null ? null : 's';
    const results = await Promise.all(
      Array.from({ length: 60 }, (_each, index) =>
        begin(hubs[index % 4]!, [applied], { delegation: () => ({ skillId }) }).then(
          () => 'begun',
          (error: unknown) => (error instanceof HubError ? error.reason : String(error)),
        ),
      ),
    );
    const count = (what: string): number => results.filter((each) => each === what).length;
    expect([count('begun'), count('QUOTA_EXCEEDED')]).toEqual([17, 43]);
    const [stored] = await first.database.read<{ n: number }>('SELECT COUNT(*) AS n FROM tasks');
    expect(stored?.n).toBe(17);
    expect(
      await first.limits.used([{ limit: applied, owner: OF_ALICE }], first.clock.now()),
    ).toEqual([17]);
  });

  it('reads mixed limits in their order, by few statements whatever the mix', async () => {
    const hub = new TaskHarness(await databases.open());
    const skillId = 's';
    await begin(hub, [], { agents: ['a1', 'a2'], delegation: () => ({ skillId }) });
    await begin(hub, [], { agents: ['a1'], principal: { ...BOB, organization: 'globex' } });
    const globex = { ...OF, organization: 'globex' };
    const read = jest.spyOn(hub.database, 'read');
    const forms: readonly (readonly [AppliedLimit, number])[] = [
      [limit(ACME, 'openTasks', 9), 1],
      [limit(globex, 'openTasks', 9), 1],
      [limit({ ...ACME, principal: 'alice' }, 'openTasks', 9), 1],
      [limit({ ...globex, principal: 'alice' }, 'openTasks', 9), 0],
      [limit(ACME, 'tasksPerDay', 9), 1],
      [limit({ agent: 'a1' }, 'openTasks', 9), 2],
      [limit({ agent: 'a2' }, 'openTasks', 9), 1],
      [limit({ ...ACME, agent: 'a1' }, 'openTasks', 9), 1],
      [limit({ skill: 'a1.s' }, 'openTasks', 9), 1],
    ];
    // Mixes as pages of limits have them, each another.
    let seed = 1;
    const next = (): number => (seed = (seed * 16_807) % 2_147_483_647);
    for (let round = 0; round < 60; round++) {
      const mix = Array.from({ length: 64 }, () => forms[next() % forms.length]!);
      const owned = mix.map(([each]) => ({ limit: each, owner: OF_ALICE }));
      expect(await hub.limits.used(owned, hub.clock.now())).toEqual(mix.map(([, used]) => used));
    }
    const texts = new Set(read.mock.calls.map(([sql]) => sql));
    // Of six forms, in pieces of 64, 32 … 1.
    expect(texts.size).toBeLessThanOrEqual(6 * 7);
  });

  it('refuses nothing else of the same commit, and keeps no idempotency key of what it refused', async () => {
    const hub = new TaskHarness(await databases.open());
    const none = limit(ACME, 'openTasks', 1);
    const idempotency = { key: 'k', fingerprint: 'f', expiresAt: null };
    // A commit of its own before the two, so that it is known which of them is refused.
    const [one] = await Promise.allSettled([begin(hub, [none])]);
    const [two, other] = await Promise.allSettled([
      begin(hub, [none], { idempotency }),
      begin(hub, []),
    ]);
    expect([one.status, two.status, other.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await begin(hub, [], { idempotency })).kind).toBe('created');
  });

  it('takes another when one has ended, whichever process ended it', async () => {
    const hub = new TaskHarness(await databases.open());
    const other = hub.another();
    const both = [limit({ agent: 'a1' }, 'openTasks', 1), limit(ACME, 'openTasks', 1)];
    const created = await begin(hub, both);
    const refused = await refusal(begin(other, both));
    expect(refused.metadata).toMatchObject({ current: '1', limit: '1', retryAfterSeconds: '10' });
    if (created.kind !== 'created') throw new Error('not created');
    const { record, delegations } = created.aggregate;
    await other.log.update(record.id, () => ({
      change: {
        events: [status(COMPLETED, hub.clock.now())],
        delegations: [{ id: delegations[0]!.id, state: 'completed' }],
      },
      result: undefined,
    }));
    expect((await begin(hub, both)).kind).toBe('created');
  });

  it('begins a day and a month anew at midnight UTC, and says when that is', async () => {
    const hub = new TaskHarness(await databases.open());
    const end = Date.parse('2026-02-28T23:59:30Z');
    await hub.clock.advance(end - hub.clock.now().getTime());
    const day = limit({ agent: 'a1' }, 'tasksPerDay', 1);
    const month = limit({ principal: 'alice' }, 'tasksPerMonth', 1);
    await begin(hub, [day, month]);
    for (const each of [day, month]) {
      expect((await refusal(begin(hub, [each]))).metadata['retryAfterSeconds']).toBe('30');
    }
    await hub.clock.advance(30_000);
    await begin(hub, [day, month]);
    await hub.clock.advance(24 * 60 * 60 * 1000);
    await begin(hub, [day]);
    expect((await refusal(begin(hub, [month]))).message).toBe(
      'The quota principal.tasksPerMonth is used up: you have begun 1 tasks this month of 1. It begins anew with the next month (UTC).',
    );
  });

  it('refuses tasks and messages over the stored bytes', async () => {
    const hub = new TaskHarness(await databases.open());
    const bytes = limit(ACME, 'storedBytes', 10_000, 0);
    const created = await begin(hub, [bytes], { text: 'x'.repeat(10_000) });
    if (created.kind !== 'created') throw new Error('not created');
    expect((await refusal(begin(hub.another(), [bytes]))).reason).toBe('QUOTA_EXCEEDED');
    const { id } = created.aggregate.record;
    const further = { change: { events: [] }, result: undefined, limits: [bytes] };
    const message = status(COMPLETED, hub.clock.now());
    const refused = hub.log.update(id, () => ({ ...further, change: { events: [message] } }));
    expect((await refusal(refused)).metadata['quota']).toBe('organization.storedBytes');
    // The agent's own answer is not refused.
    await hub.append(id, message);
  });

  it('counts nothing of what was not stored', async () => {
    const hub = new TaskHarness(await databases.open());
    const month = limit(ACME, 'tasksPerMonth', 2);
    hub.participant.refuse.set('broken', 9);
    await expect(begin(hub, [month], { id: 'broken' })).rejects.toThrow('cannot be stored');
    await begin(hub, [month], { id: 'same' });
    await expect(begin(hub.another(), [month], { id: 'same' })).rejects.toThrow('exists already');
    expect(await hub.limits.used([{ limit: month, owner: OF_ALICE }], hub.clock.now())).toEqual([
      1,
    ]);
    await begin(hub, [month]);
  });

  it('takes as many as an agent gets delegations of the task', async () => {
    const hub = new TaskHarness(await databases.open());
    const twice = limit({ agent: 'a1' }, 'openTasks', 3, 2);
    await begin(hub, [twice], { agents: ['a1', 'a1'] });
    expect((await refusal(begin(hub, [twice]))).metadata).toEqual({
      ...{ quota: 'agent.openTasks', current: '2', limit: '3' },
      ...{ retryAfterSeconds: '10', agentId: 'a1' },
    });
    await begin(hub, [limit({ agent: 'a1' }, 'openTasks', 3)]);
  });

  it('warns once it is used up to four fifths, and not again', async () => {
    const hub = new TaskHarness(await databases.open());
    const warnings: LimitWarning[] = [];
    hub.limits.onWarned((warning) => warnings.push(warning));
    const ten = limit(ACME, 'tasksPerMonth', 10);
    for (let count = 0; count < 7; count++) await begin(hub, [ten]);
    expect(warnings).toEqual([]);
    for (let count = 0; count < 3; count++) await begin(hub, [ten]);
    expect(warnings).toEqual([{ limit: ten, used: 8 }]);
  });

  it('lets nothing begin while the database is away', async () => {
    const hub = new TaskHarness(await databases.open());
    const { database } = hub;
    const broken = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const away = Object.assign(Object.create(database), {
      write: () => Promise.reject(broken),
    }) as typeof database;
    const cut = hub.another(away);
    const refused = await refusal(begin(cut, [limit(ACME, 'openTasks', 100)]));
    expect(refused.reason).toBe('UNAVAILABLE');
  });
}
