import { beforeEach, describe, expect, it } from '@jest/globals';
import { EVERYTHING } from '../../src/auth/index.js';
import type { Plan } from '../../src/routing/index.js';
import type { ClaimedDelegation } from '../../src/tasks/store/claimed-task.js';
import type { NewEvent, NewTask, TaskAggregate } from '../../src/tasks/task.js';
import type { DatabaseFactory } from '../support/databases.js';
import {
  change,
  chunk,
  COMPLETED,
  FAR,
  newTask,
  status,
  TaskHarness,
  WORKING,
} from './task-harness.js';

const PLAN: Plan = ['first', 'second'].map((name, index) => ({
  name,
  strategy: 'one',
  require: 'all',
  chosen: [{ agentId: `a${index + 1}`, why: 'named by the client' }],
  inputs: [{ from: 'message' }],
  after: index === 0 ? [] : [{ step: 'first', outcome: 'completed' }],
  isResult: index === 1,
  isOptional: false,
}));

/** A task of two steps, one after the other. */
function chain(): NewTask {
  return newTask({
    agents: ['a1', 'a2'],
    deadlineAt: FAR,
    route: {
      reason: 'agent',
      strategy: 'all',
      require: 'all',
      chosen: ['a1', 'a2'].map((agentId) => ({ agentId, why: 'named by the client' })),
      skipped: [],
      plan: PLAN,
    },
    delegation: (step) => ({ step, state: step === 0 ? 'queued' : 'planned' }),
  });
}

function held(text: string, append = false): NewEvent {
  return { ...chunk(text, 'kept', append), kind: 'held' };
}

/** What tasks of several steps need of the log and the store. */
export function taskPlansContract(databases: DatabaseFactory): void {
  let hub: TaskHarness;
  let task: NewTask;

  beforeEach(async () => {
    hub = new TaskHarness(await databases.openEmptied());
    task = chain();
    await hub.log.create(task);
  });

  /** As another process finds it. */
  const stored = (): Promise<TaskAggregate> => hub.another().load(task.record.id);
  const inMemory = (): Promise<TaskAggregate | undefined> =>
    hub.log.read(task.record.id, EVERYTHING);
  const claim = (owner = 'p1'): Promise<ClaimedDelegation[]> =>
    hub.store.claim(owner, hub.clock.now(), 1000, 10);

  describe('steps', () => {
    it('are kept with their delegations; those of later ones are planned and have not begun', async () => {
      const { record, delegations } = await stored();
      expect(record.plan).toEqual(PLAN);
      expect(delegations).toMatchObject([
        { step: 0, state: 'queued', calls: 0, begunAt: hub.clock.now() },
        { step: 1, state: 'planned', calls: 0, begunAt: null },
      ]);
    });

    it('are claimed once they have begun, not before', async () => {
      expect((await claim()).map(({ step }) => step)).toEqual([0]);
      const id = task.firstUpdate.begins![1]!.id;
      const begunAt = hub.clock.now();
      await hub.log.update(task.record.id, () =>
        change({ events: [], delegations: [{ id, state: 'queued', begunAt }] }),
      );
      expect(await claim()).toMatchObject([{ step: 1, begunAt, adopted: false }]);
    });

    it('have no deadline before they begin', async () => {
      const [first, second] = task.firstUpdate.begins!;
      await hub.log.update(task.record.id, () =>
        change({
          events: [],
          delegations: [
            { id: first!.id, state: 'completed' },
            { id: second!.id, deadlineAt: hub.clock.now() },
          ],
        }),
      );
      await hub.clock.advance(10);
      expect(await hub.store.overdue(hub.clock.now(), 10)).toEqual([]);
      await hub.log.update(task.record.id, () =>
        change({ events: [], delegations: [{ id: second!.id, state: 'queued' }] }),
      );
      expect(await hub.store.overdue(hub.clock.now(), 10)).toEqual([task.record.id]);
    });

    it('that are skipped are neither claimed nor overdue', async () => {
      await hub.log.update(task.record.id, () =>
        change({
          events: [],
          delegations: task.firstUpdate.begins!.map(({ id }) => ({ id, state: 'skipped' })),
        }),
      );
      expect(await claim()).toEqual([]);
      const late = new Date(FAR.getTime() - 1);
      expect(await hub.store.overdue(late, 10)).toEqual([]);
    });

    it('are handed to the runner with the commit when they are queued, and no others', async () => {
      const got: ClaimedDelegation[] = [];
      const reserved: number[] = [];
      hub.log.claimNew({
        owner: 'runner',
        leaseMs: 1000,
        reserve: (delegations) => {
          reserved.push(delegations.length);
          return true;
        },
        release: () => undefined,
        claimed: (delegations) => got.push(...delegations),
      });
      const made = chain();
      await hub.log.create(made);
      expect(reserved).toEqual([1]);
      expect(got).toMatchObject([{ step: 0, state: 'sending', calls: 1, epoch: 1 }]);
      expect((await hub.another().load(made.record.id)).delegations).toMatchObject([
        { state: 'sending', calls: 1, owner: 'runner' },
        { state: 'planned', calls: 0, owner: null, epoch: 0 },
      ]);
    });
  });

  describe('calls', () => {
    it('are counted when a queued delegation is claimed, not when it is taken over', async () => {
      expect(await claim()).toMatchObject([{ calls: 1 }]);
      await hub.clock.advance(2000);
      expect(await claim('p2')).toMatchObject([{ calls: 1, adopted: true }]);
      const { id } = task.firstUpdate.begins![0]!;
      await hub.log.update(task.record.id, () =>
        change({
          events: [],
          delegations: [{ id, state: 'queued', owner: null, leaseUntil: null }],
        }),
      );
      expect(await claim()).toMatchObject([{ calls: 2 }]);
      expect((await stored()).delegations).toMatchObject([{ calls: 2 }, { calls: 0 }]);
    });

    it('are changed by an append that says so', async () => {
      const { id } = task.firstUpdate.begins![0]!;
      await hub.log.update(task.record.id, () =>
        change({ events: [], delegations: [{ id, calls: 7 }] }),
      );
      expect((await stored()).delegations[0]).toMatchObject({ calls: 7 });
    });
  });

  describe('a delegation whose agent is yet to be told of its end', () => {
    const end = (cancelPending: boolean): Promise<void> =>
      hub.log.update(task.record.id, () =>
        change({
          events: [],
          delegations: [{ id: task.firstUpdate.begins![0]!.id, state: 'canceled', cancelPending }],
        }),
      );

    it('stays with its owner, and is claimed again when the lease has run out', async () => {
      await claim();
      await end(true);
      expect((await stored()).delegations[0]).toMatchObject({ cancelPending: true, owner: 'p1' });
      expect(await claim('p2')).toEqual([]);
      await hub.clock.advance(2000);
      expect(await claim('p2')).toMatchObject([
        { state: 'canceled', cancelPending: true, adopted: true },
      ]);
    });

    it('is renewed with the other work of its owner, and given up with it', async () => {
      const [mine] = await claim();
      await end(true);
      const until = new Date(hub.clock.now().getTime() + 5000);
      expect(await hub.store.renew('p1', [mine!.id], until)).toEqual([mine!.id]);
      await hub.clock.advance(2000);
      expect(await claim('p2')).toEqual([]);
      expect(await hub.store.releaseOthers('p2')).toBe(1);
      expect(await claim('p2')).toHaveLength(1);
    });

    it('is nobody’s work once it has been told, and never was when it knew', async () => {
      await claim();
      await end(true);
      await end(false);
      await hub.clock.advance(2000);
      expect(await claim('p2')).toEqual([]);
    });
  });

  describe('what is held', () => {
    it('is beside the task, in memory and in the log alike', async () => {
      await hub.append(task.record.id, status(WORKING), held('one'), held('two', true));
      const known = await inMemory();
      expect(known?.task.artifacts).toEqual([]);
      expect(known?.held.map(textsOf)).toEqual([['one', 'two']]);
      expect(await stored()).toEqual(known);
      const events = await hub.log.events(task.record.id, 3, 10);
      expect(events.map(({ kind }) => kind)).toEqual(['held', 'held']);
    });

    it('outlives a checkpoint', async () => {
      await hub.append(task.record.id, status(WORKING), held('one'));
      const many = Array.from({ length: 300 }, (_, n) => chunk(`${n}`, 'shown', n > 0));
      await hub.append(task.record.id, ...many);
      expect((await hub.another().store.open(task.record.id))?.eventsSince).toBe(0);
      await hub.append(task.record.id, held('two', true));
      expect((await stored()).held.map(textsOf)).toEqual([['one', 'two']]);
      expect(await stored()).toEqual(await inMemory());
    });

    it('is held no more once it counts, and nothing is after the end', async () => {
      await hub.append(task.record.id, held('one'), {
        ...chunk('other', 'more', false),
        kind: 'held',
      });
      await hub.append(task.record.id, chunk('one', 'kept', false), chunk('two', 'kept', true));
      const released = await stored();
      expect(released.task.artifacts.map(textsOf)).toEqual([['one', 'two']]);
      expect(released.held.map(({ artifactId }) => artifactId)).toEqual(['more']);
      await hub.append(task.record.id, status(COMPLETED));
      expect((await stored()).held).toEqual([]);
      expect(await stored()).toEqual(await inMemory());
    });

    it('in a copy that is kept does not change', async () => {
      await hub.append(task.record.id, held('one'));
      const kept = await inMemory();
      await hub.append(task.record.id, held('two', true));
      expect(kept?.held.map(textsOf)).toEqual([['one']]);
    });
  });
}

function textsOf({ parts }: TaskAggregate['held'][number]): string[] {
  return parts.map((part) => (part.content?.$case === 'text' ? part.content.value : ''));
}
