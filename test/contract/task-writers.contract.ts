import { beforeEach, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import { HubError } from '../../src/common/hub-error.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { FencedError, type Claimer } from '../../src/tasks/log/task-log.js';
import type { Delegation } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import {
  change,
  chunk,
  clientMessage,
  newTask,
  status,
  TaskHarness,
  texts,
  WORKING,
} from './task-harness.js';

/** What holds when several write: on one task, in one batch, from two processes, and when it fails. */
export function taskWritersContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.openEmptied());
  });

  it('lets two processes write one task: nothing lost, nothing double, one order', async () => {
    const other = hub.another();
    const { record } = await hub.create();
    await hub.append(record.id, chunk('0', 'result', false));
    const writes = Array.from({ length: 60 }, (_, n) =>
      (n % 2 === 0 ? hub : other).append(record.id, chunk(String(n + 1))),
    );
    for (const write of writes) await write;

    const loaded = await hub.load(record.id);
    expect(new Set(texts(loaded)).size).toBe(61);
    expect(texts(loaded)).toHaveLength(61);
    expect(loaded.record.seq).toBe(63);
    for (const { log } of [hub, other]) {
      expect(await log.read(record.id, EVERYTHING)).toEqual(loaded);
    }
  });

  it('notices what another process changed without an event', async () => {
    const other = hub.another();
    const { record } = await hub.create();
    await other.append(record.id, status(WORKING));
    const canceled = {
      cancelRequestedAt: new Date('2026-02-02T00:00:00Z'),
      cancelMetadata: { why: ['\u0000', { deep: null }] },
    };
    await hub.log.update(record.id, () => change({ events: [], record: canceled }));
    const seen = await other.log.update(record.id, (task) => ({
      change: { events: [chunk('x', 'result', false)] },
      result: task.record,
    }));
    expect(seen).toMatchObject(canceled);
    expect((await hub.log.read(record.id, EVERYTHING))?.record).toMatchObject({
      ...canceled,
      seq: 4,
    });
  });

  it('decides on the newest state also when the decision is to change nothing, or to refuse', async () => {
    const other = hub.another();
    const { record } = await hub.create();
    await other.append(record.id, status(WORKING));
    const at = new Date('2026-02-02T00:00:00Z');
    await hub.log.update(record.id, () =>
      change({ events: [], record: { cancelRequestedAt: at } }),
    );
    const look = other.log.update(record.id, (task) => ({
      change: { events: [] },
      result: task.record.cancelRequestedAt,
    }));
    expect(await look).toEqual(at);

    await other.append(record.id, chunk('x', 'result', false));
    const refused = hub.log.update(record.id, (task) => {
      if (task.record.seq === 4) return change({ events: [] });
      throw new Error(`decided on seq ${task.record.seq}`);
    });
    await expect(refused).resolves.toBeUndefined();
  });

  it('commits the neighbours of an append that the database refuses', async () => {
    const tasks = await Promise.all(Array.from({ length: 9 }, () => hub.create()));
    const guilty = tasks[4]!.record.id;
    hub.participant.refuse.set(guilty, Infinity);
    const outcomes = await Promise.allSettled(
      tasks.map(({ record }) => hub.append(record.id, chunk('mine', 'result', false))),
    );
    expect(outcomes.map(({ status: how }) => how === 'fulfilled')).toEqual(
      tasks.map(({ record }) => record.id !== guilty),
    );
    for (const { record } of tasks) {
      expect(texts(await hub.load(record.id))).toEqual(record.id === guilty ? [] : ['mine']);
    }
  });

  it('ends a task as failed when an update of it cannot be stored', async () => {
    const { record } = await hub.create();
    hub.participant.refuse.set(record.id, 1);
    const refused = hub.append(record.id, chunk('poison', 'result', false));
    await expect(refused).rejects.toMatchObject({
      reason: 'INTERNAL',
      message: 'The update cannot be stored.',
    });
    await hub.log.update(record.id, () => change({ events: [] }));

    const { task, delegations } = await hub.load(record.id);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    // What the database said is for the log alone.
    const said = JSON.stringify(task.status?.message?.parts);
    expect(said).toContain('An update could not be stored.');
    expect(said).not.toContain('refused');
    expect(task.artifacts).toEqual([]);
    expect(delegations.map(({ state }) => state)).toEqual(['failed']);
  });

  it('finds the guilty one among decisions that were made one append', async () => {
    const { record } = await hub.create();
    let transactions = 0;
    const { participant } = hub;
    const appended = participant.appended.bind(participant);
    participant.appended = function* (tx, batch) {
      const after = yield* appended(tx, batch);
      transactions += 1;
      const bodies = batch.flatMap(({ events }) => events.map(({ body }) => body));
      if (bodies.some((body) => body.includes('poison'))) throw new Error('not this one');
      return after;
    };
    const outcomes = await Promise.allSettled([
      hub.append(record.id, chunk('before', 'result', false)),
      hub.append(record.id, chunk('poison')),
      hub.append(record.id, chunk('after')),
    ]);
    // The task ends with the one that is lost: it must not go on, or complete, without it.
    expect(outcomes.map(({ status: how }) => how)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await hub.log.update(record.id, () => change({ events: [] }));
    const loaded = await hub.load(record.id);
    expect(texts(loaded)).toEqual(['before']);
    expect(loaded.record.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(transactions).toBeGreaterThan(3);
  });

  it.each([
    ['update', 'x'],
    ['long update', 'x'.repeat(3 * 1024 * 1024)],
  ])('ends a task whose %s cannot even be written down', async (_, text) => {
    const { record } = await hub.create();
    const bad = chunk(text, 'result', false);
    if (bad.payload.$case === 'artifactUpdate') bad.payload.value.metadata = { n: 1n };
    const [good, poison] = await Promise.allSettled([
      hub.append(record.id, chunk('good', 'result', false)),
      hub.append(record.id, bad),
    ]);
    expect([good.status, poison.status]).toEqual(['fulfilled', 'rejected']);
    await hub.log.update(record.id, () => change({ events: [] }));
    const loaded = await hub.load(record.id);
    expect(texts(loaded)).toEqual(['good']);
    expect(loaded.record.state).toBe(TaskState.TASK_STATE_FAILED);
  });

  it('writes long updates down one after the other, with what is decided between them', async () => {
    const { record } = await hub.create();
    const long = (sign: string): string => `"\n${sign.repeat(3 * 1024 * 1024)}`;
    const given = ['before', long('a'), 'between', long('b'), 'after'];
    await Promise.all(given.map((text, i) => hub.append(record.id, chunk(text, 'result', i > 0))));
    const loaded = await hub.load(record.id);
    expect(texts(loaded).map((text) => text.length)).toEqual(given.map(({ length }) => length));
    expect(texts(loaded).join() === given.join()).toBe(true);
    expect(await hub.log.read(record.id, EVERYTHING)).toEqual(loaded);
  });

  it('creates a task of a long message with all of it', async () => {
    const message = clientMessage('');
    const text = `"\n${'x'.repeat(3 * 1024 * 1024)}`;
    message.parts = [{ ...message.parts[0]!, content: { $case: 'text', value: text } }];
    const { record } = await hub.create({ message });
    const [, { body }] = (await hub.log.events(record.id, 0, 2)) as [unknown, { body: string }];
    expect(body.includes(JSON.stringify(text))).toBe(true);
  });

  it('decides a long update again when another process has written while it was written down', async () => {
    const other = hub.another();
    const { record } = await hub.create();
    const seen: number[] = [];
    const long = hub.log.update(record.id, (task) => {
      seen.push(task.record.seq);
      return change({ events: [chunk('x'.repeat(6 * 1024 * 1024), 'result', false)] });
    });
    await eventually(() => expect(seen).toHaveLength(1));
    await other.append(record.id, status(WORKING));
    await long;
    expect(seen).toEqual([2, 3]);
    const loaded = await hub.load(record.id);
    expect(loaded.record).toMatchObject({ seq: 4, state: WORKING });
    expect(texts(loaded).map((text) => text.length)).toEqual([6 * 1024 * 1024]);
  });

  it('creates no task when what belongs to its commit is refused', async () => {
    const [bad, good] = [newTask(), newTask()];
    const refusal = new HubError('EGRESS_DENIED', 'not that webhook');
    const outcomes = await Promise.allSettled([
      hub.log.create(bad, [
        function* (tx, taskId) {
          yield* tx.run('INSERT INTO hub_settings (key, value) VALUES (?, ?)', [taskId, 'x']);
          throw refusal;
        },
      ]),
      hub.log.create(good, [
        function* (tx, taskId) {
          yield* tx.run('INSERT INTO hub_settings (key, value) VALUES (?, ?)', [taskId, 'x']);
        },
      ]),
    ]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: refusal });
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled' });
    expect(await hub.rows('hub_settings')).toEqual([{ key: good.record.id, value: 'x' }]);
    expect((await hub.rows('tasks')).map(({ id }) => id)).toEqual([good.record.id]);
    expect(await hub.rows('delegations')).toHaveLength(1);
  });

  it('refuses a task id that is taken', async () => {
    const { record } = await hub.create();
    await hub.append(record.id, chunk('first', 'result', false));
    await expect(hub.create({ id: record.id })).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(texts(await hub.load(record.id))).toEqual(['first']);
  });

  it('refuses an append of an older claim and stops only that one', async () => {
    const { record } = await hub.create({ agents: ['a1', 'a2'] });
    const [first, second] = await hub.store.claim('p1', hub.clock.now(), 1000, 10);
    await hub.clock.advance(2000);
    const taken = await hub.store.claim('p2', hub.clock.now(), 1000, 1);
    expect(taken).toMatchObject([{ id: first!.id, epoch: 2, adopted: true }]);

    const stale = hub.another();
    const outcomes = await Promise.allSettled([
      stale.log.update(record.id, () => change({ events: [chunk('old')] }), fence(first!)),
      stale.log.update(record.id, () => change({ events: [chunk('mine')] }), fence(second!)),
      stale.log.update(record.id, () => change({ events: [chunk('binding')] })),
    ]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: expect.any(FencedError) });
    expect(outcomes.slice(1).map(({ status: how }) => how)).toEqual(['fulfilled', 'fulfilled']);
    expect(texts(await hub.load(record.id))).toEqual(['mine', 'binding']);
  });

  it('fences a process whose memory is older than the claim, in the transaction', async () => {
    const sleeper = hub.another();
    const { record } = await sleeper.create();
    const [mine] = await sleeper.store.claim('sleeper', hub.clock.now(), 1000, 1);
    await sleeper.log.update(record.id, () => change({ events: [status(WORKING)] }), fence(mine!));
    await hub.clock.advance(5000);
    await hub.store.claim('adopter', hub.clock.now(), 1000, 1);
    const late = sleeper.log.update(
      record.id,
      () => change({ events: [chunk('late')] }),
      fence(mine!),
    );
    await expect(late).rejects.toBeInstanceOf(FencedError);
    expect(texts(await hub.load(record.id))).toEqual([]);
  });

  it('keeps epoch, owner and lease as claims left them when an append changes other things', async () => {
    const { record, delegations } = await hub.create();
    const other = hub.another();
    await other.store.claim('p1', hub.clock.now(), 1000, 1);
    await other.store.renew('p1', [delegations[0]!.id], new Date('2026-06-01T00:00:00Z'));
    await hub.log.update(record.id, () =>
      change({ events: [], delegations: [{ id: delegations[0]!.id, downstreamTaskId: 'down-1' }] }),
    );
    const { delegations: after } = await hub.load(record.id);
    expect(after).toMatchObject([
      {
        state: 'sending',
        downstreamTaskId: 'down-1',
        epoch: 1,
        owner: 'p1',
        leaseUntil: new Date('2026-06-01T00:00:00Z'),
      },
    ]);
  });

  it('knows in memory what a claim of its process changed', async () => {
    const { record } = await hub.create();
    const [claimed] = await hub.store.claim('p1', hub.clock.now(), 1000, 1);
    const states = await hub.log.update(
      record.id,
      (task) => ({ change: { events: [] }, result: task.delegations.map(({ state }) => state) }),
      fence(claimed!),
    );
    expect(states).toEqual(['sending']);
    expect(await hub.log.read(record.id, EVERYTHING)).toEqual(await hub.load(record.id));
  });

  it('hands new delegations to a runner of this process with the commit, while it has places', async () => {
    const runner = new RunPermits(3);
    hub.log.claimNew(runner);
    const [one, two] = await Promise.all([hub.create(), hub.create({ agents: ['a1', 'a2'] })]);
    const waiting = await hub.create();
    expect(runner.taken.map(({ taskId }) => taskId)).toEqual([
      one.record.id,
      two.record.id,
      two.record.id,
    ]);
    expect(runner.taken[0]).toMatchObject({
      state: 'sending',
      owner: 'p1',
      epoch: 1,
      adopted: false,
    });
    expect((await hub.load(one.record.id)).delegations).toEqual(one.delegations);
    expect(await hub.store.owned('p1')).toHaveLength(3);
    await hub.log.update(
      one.record.id,
      () => change({ events: [chunk('mine', 'result', false)] }),
      fence(runner.taken[0]!),
    );
    // The lease holds against others; what found no place waits for a claim.
    const rest = await hub.store.claim('p2', hub.clock.now(), 1000, 10);
    expect(rest.map(({ taskId }) => taskId)).toEqual([waiting.record.id]);
    await hub.clock.advance(60_000);
    expect(await hub.store.claim('p2', hub.clock.now(), 1000, 10)).toHaveLength(4);
  });

  it('gives the places back when the commit does not happen', async () => {
    const runner = new RunPermits(3);
    hub.log.claimNew(runner);
    const task = newTask();
    hub.participant.refuse.set(task.record.id, 1);
    await expect(hub.log.create(task)).rejects.toThrow('The task cannot be stored.');
    expect([runner.free, runner.taken]).toEqual([3, []]);
  });
}

function fence({ id, epoch }: Delegation): { delegationId: string; epoch: number } {
  return { delegationId: id, epoch };
}

class RunPermits implements Claimer {
  readonly owner = 'p1';
  readonly leaseMs = 30_000;
  readonly taken: Parameters<Claimer['claimed']>[0][number][] = [];

  constructor(public free: number) {}

  reserve({ length }: readonly Delegation[]): boolean {
    if (length > this.free) return false;
    this.free -= length;
    return true;
  }

  release({ length }: readonly Delegation[]): void {
    this.free += length;
  }

  claimed(delegations: Parameters<Claimer['claimed']>[0]): void {
    this.taken.push(...delegations);
  }
}
