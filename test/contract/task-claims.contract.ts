import { beforeEach, expect, it } from '@jest/globals';
import type { Database } from '../../src/database/database.js';
import { txFor, type SqlStatement } from '../../src/database/sql.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { claimDelegations } from '../../src/tasks/persistence/claim.js';
import { QueueTurns } from '../../src/tasks/capacity/queue-turns.js';
import type { ClaimQuota } from '../../src/tasks/store/claimed-task.js';
import type { DelegationPatch, DelegationState } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import { ALICE, BOB, change, COMPLETED, EVE, FAR, status, TaskHarness } from './task-harness.js';

const LEASE_MS = 1000;

/** No permit is in use, and there is capacity for all. */
function quotaOf(some: Partial<ClaimQuota>): ClaimQuota {
  return {
    reserved: 0,
    maxOf: () => Infinity,
    reservedAt: () => 0,
    heldAt: () => 0,
    lastHeldAt: () => 0,
    inUse: new Map(),
    organizations: new Map(),
    cancels: { free: 100, maxPerAgent: 100, inUse: new Map() },
    ...some,
  };
}

/** What the task store promises about delegations: who has them, until when, and what is overdue. */
export function taskClaimsContract(databases: DatabaseFactory): void {
  let database: Database;
  let hub: TaskHarness;

  beforeEach(async () => {
    database = await databases.openEmptied();
    hub = new TaskHarness(database);
  });

  const claim = (owner: string, limit = 100) =>
    hub.store.claim(owner, hub.clock.now(), LEASE_MS, limit);

  /** Puts the only delegation of a task into a state, owner and lease as its runner left them. */
  async function put(
    taskId: string,
    state: DelegationState,
    more: Omit<DelegationPatch, 'id'> = {},
  ): Promise<void> {
    const { delegations } = await hub.load(taskId);
    const id = delegations[0]!.id;
    const patch = { id, state, ...more };
    await hub.log.update(taskId, () => change({ events: [], delegations: [patch] }));
  }

  it('claims the oldest first, raises the epoch and sets the lease', async () => {
    const tasks = [];
    for (let n = 0; n < 3; n += 1) {
      tasks.push(await hub.create());
      await hub.clock.advance(10);
    }
    const claimed = await claim('p1', 2);
    expect(claimed.map(({ taskId }) => taskId)).toEqual(
      tasks.slice(0, 2).map(({ record }) => record.id),
    );
    expect(claimed[0]).toMatchObject({
      state: 'sending',
      epoch: 1,
      owner: 'p1',
      adopted: false,
      leaseUntil: new Date(hub.clock.now().getTime() + LEASE_MS),
    });
    expect(await claim('p2')).toHaveLength(1);
    expect(await claim('p3')).toEqual([]);
    expect(await claim('p3', 0)).toEqual([]);
  });

  it('never gives one delegation to two claimers', async () => {
    for (let n = 0; n < 10; n += 1) {
      await Promise.all([1, 2, 3].map(() => hub.create({ agents: ['a1', 'a2'] })));
    }
    const got: string[] = [];
    const claimer = async (owner: string): Promise<void> => {
      for (let idle = 0; idle < 3;) {
        const claimed = await claim(owner, 3);
        got.push(...claimed.map(({ id }) => id));
        idle = claimed.length === 0 ? idle + 1 : 0;
      }
    };
    await Promise.all(['p1', 'p2', 'p3', 'p4'].map(claimer));
    expect(got).toHaveLength(60);
    expect(new Set(got).size).toBe(60);
  });

  it('gives no agent more than its share, and what others wait for before', async () => {
    for (let n = 0; n < 60; n += 1) await hub.create({ agents: ['slow'] });
    await hub.clock.advance(10);
    for (let n = 0; n < 2; n += 1) await hub.create({ agents: ['quick'] });
    const inUse = new Map([['slow', 1]]);
    const quota = quotaOf({ maxOf: () => 3, inUse });
    const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 10, quota);
    expect(claimed.map(({ agentId }) => agentId)).toEqual(['slow', 'slow', 'quick', 'quick']);
    expect([...inUse]).toEqual([['slow', 1]]);
  });

  it('gives what has ended to be told to its agent, however much that has', async () => {
    const { record } = await hub.create();
    await hub.create();
    await claim('p1', 1);
    await put(record.id, 'canceled', { cancelPending: true, owner: null, leaseUntil: null });
    const quota = quotaOf({ maxOf: () => 1, inUse: new Map([['a1', 1]]) });
    for (const limit of [10, 0]) {
      const claimed = await hub.store.claim('p2', hub.clock.now(), LEASE_MS, limit, quota);
      expect(claimed).toMatchObject([{ taskId: record.id, state: 'canceled', adopted: true }]);
      await hub.store.release('p2');
    }
  });

  it('gives few pending cancels of one agent at once, and leaves the permits to the others', async () => {
    for (const agent of ['gone', 'gone', 'gone', 'gone', 'other']) {
      const { record } = await hub.create({ agents: [agent] });
      await put(record.id, 'canceled', { cancelPending: true });
    }
    await hub.clock.advance(10);
    for (let n = 0; n < 3; n += 1) await hub.create({ agents: ['quick'] });
    const cancels = { free: 10, maxPerAgent: 3, inUse: new Map([['gone', 1]]) };
    const quota = quotaOf({ cancels });
    const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 3, quota);
    const agents = claimed.map(({ agentId }) => agentId);
    expect(agents.sort()).toEqual(['gone', 'gone', 'other', 'quick', 'quick', 'quick']);
    const none = quotaOf({ cancels: { ...cancels, free: 0 } });
    expect(await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 10, none)).toEqual([]);
  });

  it('gives organizations permits in turn, also one at a time', async () => {
    const organizations = new Map([
      ['acme', 2],
      ['evil', 1],
    ]);
    for (let n = 0; n < 4; n += 1) await hub.create();
    await hub.clock.advance(10);
    for (let n = 0; n < 4; n += 1) await hub.create({ principal: EVE });
    const turns: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      const quota = quotaOf({ organizations });
      const [one] = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 1, quota);
      const { organization } = one!;
      turns.push(organization);
      organizations.set(organization, (organizations.get(organization) ?? 0) + 1);
    }
    expect(turns).toEqual(['evil', 'acme', 'evil', 'acme', 'evil', 'acme']);
  });

  it('reserves permits for organizations that hold few', async () => {
    for (let n = 0; n < 8; n += 1) await hub.create();
    const organizations = new Map([['acme', 6]]);
    const greedy = quotaOf({ reserved: 2, organizations });
    const take = (limit: number, quota: ClaimQuota) =>
      hub.store.claim('p1', hub.clock.now(), LEASE_MS, limit, quota);
    expect(await take(4, greedy)).toHaveLength(2);
    expect(await take(2, greedy)).toEqual([]);
    await hub.clock.advance(10);
    for (let n = 0; n < 3; n += 1) await hub.create({ principal: EVE });
    const [newcomer, ...others] = await take(2, greedy);
    expect(newcomer).toMatchObject({ organization: 'evil' });
    expect(others).toEqual([]);
  });

  it("keeps some of an agent's for organizations that have few there", async () => {
    for (let n = 0; n < 4; n += 1) await hub.create({ agents: ['shared'] });
    await hub.clock.advance(10);
    for (let n = 0; n < 4; n += 1) await hub.create({ agents: ['shared'], principal: EVE });
    const at: Partial<ClaimQuota> = {
      maxOf: () => 4,
      inUse: new Map([['shared', 3]]),
      reservedAt: () => 1,
      heldAt: (_, organization) => (organization === 'acme' ? 3 : 0),
    };
    const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 10, quotaOf(at));
    expect(claimed).toMatchObject([{ organization: 'evil' }]);
  });

  it('gives the only place of an agent to the organization that had it longest ago', async () => {
    for (let n = 0; n < 3; n += 1) await hub.create({ agents: ['only'] });
    await hub.clock.advance(600_000);
    await hub.create({ agents: ['only'], principal: EVE });
    const lastHeld = new Map<string, number>();
    const turns: string[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const quota = quotaOf({
        maxOf: () => 1,
        lastHeldAt: (_, organization) => lastHeld.get(organization) ?? 0,
        // What the newcomer has elsewhere is no matter of this agent's.
        organizations: new Map([['evil', 5]]),
      });
      lastHeld.set('acme', Math.max(lastHeld.get('acme') ?? 0, n === 1 ? 1 : 0));
      const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 10, quota);
      const [{ organization }] = claimed as [(typeof claimed)[0]];
      expect(claimed).toHaveLength(1);
      lastHeld.set(organization, n + 1);
      turns.push(organization);
    }
    expect(turns).toEqual(['evil', 'acme', 'acme', 'acme']);
  });

  it('takes what one organization must leave of an agent for another', async () => {
    await hub.create({ agents: ['only'] });
    await hub.create({ agents: ['only'], principal: EVE });
    const quota = quotaOf({
      reserved: 2,
      maxOf: () => 1,
      organizations: new Map([['acme', 6]]),
      lastHeldAt: (_, organization) => (organization === 'evil' ? 1 : 0),
    });
    const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 2, quota);
    expect(claimed).toMatchObject([{ organization: 'evil' }]);
  });

  it('gives the only place of an agent to the organization that had it longest ago', async () => {
    for (let n = 0; n < 3; n += 1) await hub.create({ agents: ['only'] });
    await hub.clock.advance(600_000);
    for (let n = 0; n < 2; n += 1) await hub.create({ agents: ['only'], principal: EVE });
    const lastHeld = new Map([['acme', 1]]);
    const turns: string[] = [];
    for (let n = 2; n <= 6; n += 1) {
      const quota = quotaOf({
        maxOf: () => 1,
        lastHeldAt: (_, organization) => lastHeld.get(organization) ?? 0,
        // What the newcomer has elsewhere is no matter of this agent's.
        organizations: new Map([['evil', 5]]),
      });
      const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 10, quota);
      const [{ organization }] = claimed as [(typeof claimed)[0]];
      expect(claimed).toHaveLength(1);
      lastHeld.set(organization, n);
      turns.push(organization);
    }
    expect(turns).toEqual(['evil', 'acme', 'evil', 'acme', 'acme']);
  });

  it('leaves no place of an agent empty for one that has its share of the process', async () => {
    await hub.create({ agents: ['only'] });
    await hub.create({ agents: ['only'], principal: EVE });
    const quota = quotaOf({
      reserved: 2,
      maxOf: () => 1,
      organizations: new Map([['acme', 6]]),
      lastHeldAt: (_, organization) => (organization === 'evil' ? 1 : 0),
    });
    const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 2, quota);
    expect(claimed).toMatchObject([{ organization: 'evil' }]);
  });

  it('gives the principals of an organization turns by the order of the queue', async () => {
    const turns = new QueueTurns();
    hub.store.queueBy(({ agentId, principalId }) =>
      turns.next(agentId, principalId, hub.clock.now().getTime()),
    );
    for (let n = 0; n < 5; n += 1) await hub.create();
    await hub.clock.advance(10);
    await hub.create({ principal: BOB });
    await hub.create({ principal: BOB });
    const order: string[] = [];
    for (let n = 0; n < 7; n += 1) order.push((await claim('p1', 1))[0]!.principalId);
    expect(order).toEqual(['alice', 'bob', 'alice', 'bob', 'alice', 'alice', 'alice']);
  });

  it('gives the oldest of each queue, however many wait for agents that are full', async () => {
    const agents = ['full-1', 'full-2', 'a', 'b'];
    const ids: Record<string, string[]> = {};
    for (let n = 0; n < 12; n += 1) {
      for (const agent of agents) {
        for (const principal of [ALICE, EVE]) {
          const { record } = await hub.create({ agents: [agent], principal });
          (ids[`${agent} of ${principal.organization}`] ??= []).push(record.id);
        }
      }
      await hub.clock.advance(1);
    }
    const inUse = new Map([
      ['full-1', 5],
      ['full-2', 9],
      ['a', 1],
    ]);
    const quota = quotaOf({ maxOf: () => 5, inUse });
    const claimed = await hub.store.claim('p1', hub.clock.now(), LEASE_MS, 100, quota);
    const got: Record<string, string[]> = {};
    for (const { agentId, organization, taskId } of claimed) {
      (got[`${agentId} of ${organization}`] ??= []).push(taskId);
    }
    expect(Object.keys(got).sort()).toEqual(['a of acme', 'a of evil', 'b of acme', 'b of evil']);
    expect(claimed).toHaveLength(4 + 5);
    for (const [queue, taskIds] of Object.entries(got)) {
      expect(taskIds).toEqual(ids[queue]!.slice(0, taskIds.length));
      expect(taskIds.length).toBeGreaterThan(1);
    }
  });

  if (databases.dialect === 'sqlite') {
    it('leaps over the queues of full agents by the index', async () => {
      const quota = quotaOf({ maxOf: () => 1, inUse: new Map([['full', 1]]) });
      const claim = { owner: 'p1', now: hub.clock.now(), leaseMs: LEASE_MS, limit: 5, quota };
      const { value } = claimDelegations(txFor('sqlite'), claim).next();
      const { sql, params } = value as SqlStatement;
      const plan = await database.read<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      const reads = plan.map(({ detail }) => detail).filter((detail) => / [dq] USING/.test(detail));
      expect(reads).toHaveLength(8);
      for (const read of reads) {
        expect(read).toMatch(/^SEARCH . USING (COVERING INDEX|INDEX|PRIMARY KEY)/);
        expect(read).toMatch(/delegations_claim_idx|PRIMARY KEY \(id=\?\)/);
      }
    });
  }

  it('serves organizations that wait in turn', async () => {
    for (let n = 0; n < 3; n += 1) await hub.create();
    await hub.clock.advance(10);
    const eve = await hub.create({ principal: EVE });
    expect((await claim('p1', 2)).map(({ taskId }) => taskId)).toContain(eve.record.id);
  });

  it('tells which of the tasks of an agent some delegation has', async () => {
    const { record, delegations } = await hub.create();
    const id = delegations[0]!.id;
    await hub.log.update(record.id, () =>
      change({ events: [], delegations: [{ id, downstreamTaskId: 'd1' }] }),
    );
    expect(await hub.store.downstream.held('a1', ['d1', 'd2'])).toEqual(new Set(['d1']));
    expect(await hub.store.downstream.held('a2', ['d1'])).toEqual(new Set());
  });

  it('tells whether another delegation may wait for the task of a message', async () => {
    const messageId = '50%_\\"x\u{1f600}é';
    const message = { messageId };
    const first = await hub.create({ message });
    const [mine] = await claim('p1');
    const { downstream } = hub.store;
    expect(await downstream.isAwaitedByAnother(mine!, messageId)).toBe(false);
    await hub.create({ message, agents: ['a2'] });
    await hub.create({ message: { messageId: '50xx\\"x\u{1f600}é' } });
    const second = await hub.create({ message, principal: EVE });
    expect(await downstream.isAwaitedByAnother(mine!, messageId)).toBe(false);
    const others = await claim('p1');
    expect(await downstream.isAwaitedByAnother(mine!, messageId)).toBe(true);
    const theirs = others.find(({ taskId }) => taskId === second.record.id);
    expect(await downstream.isAwaitedByAnother(theirs!, messageId)).toBe(true);
    // Nor does it know more when its runner is gone.
    await hub.store.releaseOthers('p2');
    expect(await downstream.isAwaitedByAnother(mine!, messageId)).toBe(true);
    // One that has failed without knowing may still have reached the agent.
    await hub.log.update(first.record.id, () =>
      change({
        events: [status(TaskState.TASK_STATE_FAILED, hub.clock.now())],
        delegations: [{ id: mine!.id, state: 'failed' }],
      }),
    );
    expect(await downstream.isAwaitedByAnother(theirs!, messageId)).toBe(true);
    await hub.log.update(second.record.id, () =>
      change({ events: [], delegations: [{ id: theirs!.id, downstreamTaskId: 'd1' }] }),
    );
    expect(await downstream.isAwaitedByAnother(mine!, messageId)).toBe(false);
    // What has failed before a delegation began is no rival of it, but for what clocks may differ.
    const later = async (ms: number): Promise<boolean> => {
      await hub.clock.advance(ms);
      const { delegations } = await hub.create({ message, agents: ['a1'] });
      const [delegation] = delegations;
      const awaited = await downstream.isAwaitedByAnother(delegation!, messageId);
      await hub.log.update(delegation!.taskId, () =>
        change({ events: [], delegations: [{ id: delegation!.id, downstreamTaskId: 'd2' }] }),
      );
      return awaited;
    };
    expect(await later(30_000)).toBe(true);
    expect(await later(31_000)).toBe(false);
  });

  it('adopts what a lease has run out on, whatever its state, and leaves it in that state', async () => {
    for (const state of ['sending', 'working', 'input-required', 'auth-required'] as const) {
      const { record } = await hub.create();
      await claim('p1');
      await put(record.id, state);
      await hub.clock.advance(LEASE_MS - 1);
      expect(await claim('p2')).toEqual([]);
      await hub.clock.advance(1);
      expect(await claim('p2')).toMatchObject([{ state, epoch: 2, owner: 'p2', adopted: true }]);
      await put(record.id, 'completed');
    }
  });

  it('never claims what has ended', async () => {
    for (const state of ['completed', 'failed', 'canceled', 'rejected'] as const) {
      const { record } = await hub.create();
      await claim('p1');
      await put(record.id, state);
    }
    await hub.clock.advance(LEASE_MS * 10);
    expect(await claim('p2')).toEqual([]);
  });

  it('claims again what was queued again for a follow-up', async () => {
    const { record } = await hub.create();
    await claim('p1');
    await put(record.id, 'input-required');
    await put(record.id, 'queued', { owner: null, leaseUntil: null });
    expect(await claim('p2')).toMatchObject([
      { state: 'sending', epoch: 2, owner: 'p2', adopted: false },
    ]);
  });

  it('leaves what its owner holds unsent to it, until its lease ends', async () => {
    const { record } = await hub.create();
    await claim('p1');
    await put(record.id, 'queued', { calls: 0 });
    const { id, leaseUntil } = (await hub.load(record.id)).delegations[0]!;
    expect(leaseUntil).toEqual(new Date(hub.clock.now().getTime() + LEASE_MS));
    expect(await claim('p2')).toEqual([]);
    expect(await hub.store.owned('p1')).toMatchObject([{ state: 'queued', epoch: 1 }]);
    const until = new Date(leaseUntil!.getTime() + LEASE_MS);
    expect(await hub.store.renew('p1', [id], until)).toEqual([id]);
    await hub.clock.advance(LEASE_MS);
    expect(await claim('p2')).toEqual([]);
    await hub.store.releaseOthers('p2');
    const unsent = { state: 'sending', calls: 1, epoch: 2, owner: 'p2', adopted: false };
    expect(await claim('p2')).toMatchObject([unsent]);
    await put(record.id, 'queued', { calls: 0 });
    await hub.clock.advance(LEASE_MS);
    expect(await claim('p3')).toMatchObject([{ ...unsent, epoch: 3, owner: 'p3' }]);
  });

  it('renews the leases the owner still has, and says which', async () => {
    await hub.create();
    await hub.create();
    const ids = (await claim('p1')).map(({ id }) => id);
    await hub.clock.advance(LEASE_MS);
    const [adopted] = await claim('p2', 1);
    const until = new Date(hub.clock.now().getTime() + 5000);
    const kept = await hub.store.renew('p1', ids, until);
    expect(kept).toEqual(ids.filter((id) => id !== adopted!.id));
    expect(await hub.store.renew('p1', [], until)).toEqual([]);
    await hub.clock.advance(4999);
    expect(await claim('p3')).toMatchObject([{ id: adopted!.id }]);
    await hub.clock.advance(1);
    expect(await claim('p3')).toMatchObject([{ id: kept[0] }]);
  });

  it('releases its own leases, or those of everybody else', async () => {
    await hub.create();
    const { record } = await hub.create();
    const [first] = await claim('p1', 1);
    const [second] = await claim('p2', 1);
    expect(await hub.store.releaseOthers('p2')).toBe(1);
    expect(await claim('p3')).toMatchObject([{ id: first!.id, adopted: true }]);
    await hub.store.release('p2');
    expect(await claim('p3')).toMatchObject([{ id: second!.id, adopted: true }]);
    expect(await hub.store.owned('p2')).toEqual([]);
    expect((await hub.load(record.id)).delegations[0]).toMatchObject({ owner: 'p3', epoch: 2 });
  });

  it('tells an owner what it has and whether its client wants it canceled', async () => {
    const { record } = await hub.create();
    await hub.create();
    const claimed = await claim('p1');
    await hub.log.update(record.id, () =>
      change({ events: [], record: { cancelRequestedAt: hub.clock.now() } }),
    );
    const owned = await hub.store.owned('p1');
    expect(new Set(owned.map(({ id }) => id))).toEqual(new Set(claimed.map(({ id }) => id)));
    expect(owned.find(({ taskId }) => taskId === record.id)).toMatchObject({
      state: 'sending',
      epoch: 1,
      cancelRequested: true,
    });
    await hub.log.update(record.id, (task) =>
      change({
        events: [],
        delegations: [{ id: task.delegations[0]!.id, owner: null, leaseUntil: null }],
      }),
    );
    expect(await hub.store.owned('p1')).toHaveLength(1);
  });

  it('finds open tasks whose deadline, or whose delegation has passed its own', async () => {
    const soon = new Date(hub.clock.now().getTime() + 1000);
    const own = await hub.create({ deadlineAt: soon });
    const agents = await hub.create({ agents: ['a1', 'a2'], delegationDeadline: soon });
    await hub.create({ deadlineAt: FAR });
    const ended = await hub.create({ deadlineAt: soon });
    await hub.append(ended.record.id, status(COMPLETED));

    expect(await hub.store.overdue(soon, 10)).toEqual([]);
    const late = new Date(soon.getTime() + 1);
    const found = await hub.store.overdue(late, 10);
    expect(new Set(found)).toEqual(new Set([own.record.id, agents.record.id]));
    expect(await hub.store.overdue(late, 1)).toHaveLength(1);
  });

  it('does not deadlock when claims, renewals and appends of many tasks meet', async () => {
    const tasks = await Promise.all(
      Array.from({ length: 24 }, () => hub.create({ agents: ['a1', 'a2'] })),
    );
    const others = [hub.another(), hub.another()];
    const writers = [hub, ...others].flatMap((process) =>
      tasks.map(({ record, delegations }) =>
        process.log.update(record.id, () =>
          change({
            events: [],
            delegations: delegations.map(({ id }) => ({ id, reason: 'touched' })),
          }),
        ),
      ),
    );
    const ids = tasks.flatMap(({ delegations }) => delegations.map(({ id }) => id));
    const rounds = [1, 2, 3, 4].flatMap((round) => [
      hub.store.claim(`p${round}`, hub.clock.now(), 0, 48),
      hub.store.renew(`p${round}`, ids, hub.clock.now()),
      hub.store.release(`p${round}`),
    ]);
    const outcomes = await Promise.allSettled([...writers, ...rounds]);
    expect(outcomes.filter(({ status: how }) => how === 'rejected')).toEqual([]);
  });
}
