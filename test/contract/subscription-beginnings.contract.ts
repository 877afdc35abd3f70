import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Agent, AgentRegistry } from '../../src/agents/index.js';
import { SystemClock } from '../../src/common/clock.js';
import { txFor } from '../../src/database/sql.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { LOG_START } from '../../src/push/delivery/domain/delivery-plan.js';
import { PushAppendParticipant } from '../../src/push/delivery/persistence/push-append.participant.js';
import { PushWakeup } from '../../src/push/delivery/push-wakeup.js';
import { SubscriptionDirectory } from '../../src/push/registration/subscription-directory.js';
import { SubscriptionStreams } from '../../src/push/delivery/subscription-streams.js';
import type { Appended, BegunDelegation, TaskRecord } from '../../src/tasks/index.js';
import { anAgent } from '../support/an-agent.js';
import { FakeClock } from '../support/fake-clock.js';
import { SILENT } from '../support/push-stores.js';
import { NOW, type SubscriptionStores } from '../support/subscription-stores.js';

const BILLING = { agentId: 'billing', skillId: null };
const SUBMITTED = TaskState.TASK_STATE_SUBMITTED;

/** What every commit promises in which a task, or a delegation of one, begins. */
export function subscriptionBeginningsContract(open: () => Promise<SubscriptionStores>): void {
  let stores: SubscriptionStores;
  let directory: SubscriptionDirectory;
  let streams: SubscriptionStreams;
  beforeEach(async () => {
    stores = await open();
    directory = new SubscriptionDirectory(stores.subscriptions, new SystemClock(), SILENT);
    const known = new Map<string, Agent>([['billing', anAgent('billing', { tags: ['Money'] })]]);
    const agents = Object.assign(Object.create(AgentRegistry.prototype) as AgentRegistry, {
      known: (id: string) => known.get(id),
    });
    streams = new SubscriptionStreams(
      directory,
      stores.subscriptions,
      stores.subscriptionStreams,
      agents,
    );
    await directory.renew();
  });

  function appended(
    taskId: string,
    isTask: boolean,
    delegations: readonly BegunDelegation[],
    changes: Partial<TaskRecord> = {},
  ): Appended {
    const record = {
      id: taskId,
      organization: 'acme',
      principalId: 'bob',
      seq: isTask ? 2 : 7,
      state: SUBMITTED,
      traceparent: null,
      ...changes,
    } as TaskRecord;
    return { taskId, events: [], everyEvent: false, begins: { isTask, record, delegations } };
  }

  /** How many streams a commit makes. */
  const begin = (...batch: Appended[]): Promise<number> =>
    stores.database.write((tx) => streams.begin(tx, batch, NOW));

  describe('a commit in which something begins', () => {
    it('costs one statement at most while nobody has a subscription', () => {
      const work = streams.begin(txFor(stores.database.dialect), [appended('t', true, [])], NOW);
      const first = work.next();
      if (stores.database.dialect === 'sqlite') {
        expect(first).toEqual({ done: true, value: 0 });
        return;
      }
      expect(first.value).toMatchObject({ sql: expect.stringContaining('SELECT revision') });
      const rows = [{ revision: directory.revision }];
      expect(work.next({ rows, changes: 0 })).toEqual({ done: true, value: 0 });
    });

    it('costs nothing when nothing begins', () => {
      const tx = txFor(stores.database.dialect);
      const quiet: Appended = { taskId: 't', events: [], everyEvent: false, begins: null };
      expect(streams.begin(tx, [quiet], NOW).next()).toEqual({ done: true, value: 0 });
    });

    it('counts with a subscription that another process has just made', async () => {
      await stores.subscribe();
      // A SQLite database has one process, which renews its memory before it answers.
      if (stores.database.dialect === 'sqlite') await directory.renew();
      const taskId = await stores.addTask(2);
      expect(await begin(appended(taskId, true, [BILLING]))).toBe(1);
      expect(await begin(appended('x', true, [], { organization: 'evil' }))).toBe(0);
    });

    it('gives a task one stream of each that fits, and none of a disabled one', async () => {
      await stores.subscribe();
      await stores.subscribe({ filter: { agents: null, tags: ['money'], states: null } });
      await stores.subscribe({ filter: { agents: ['writer'], tags: null, states: null } });
      const { id } = await stores.subscribe();
      const all = { kind: 'everything' } as const;
      await stores.webhooks.update(id, all, () => ({ state: 'disabled' }), NOW);
      await directory.renew();
      const taskId = await stores.addTask(2);
      expect(await begin(appended(taskId, true, [BILLING]))).toBe(2);
      expect(await begin(appended(taskId, false, [BILLING]))).toBe(0);
    });

    it('joins a task that runs when an agent that fits begins, and only then', async () => {
      const filter = { agents: ['billing'], tags: null, states: null };
      await stores.subscribe({ filter });
      await stores.subscribe();
      await directory.renew();
      const taskId = await stores.addTask(7);
      expect(await begin(appended(taskId, false, [{ agentId: 'writer', skillId: null }]))).toBe(0);
      expect(await begin(appended(taskId, false, [BILLING]))).toBe(1);
      expect(await stores.claimAll()).toMatchObject([{ nextSeq: 8, open: 1 }]);
    });

    it('leaves the present state out where it is not one that is asked for', async () => {
      const states = [TaskState.TASK_STATE_COMPLETED];
      await stores.subscribe({ filter: { agents: ['billing'], tags: null, states } });
      await directory.renew();
      const taskId = await stores.addTask(7);
      expect(await begin(appended(taskId, false, [BILLING]))).toBe(1);
      expect(await stores.claimAll()).toEqual([]);
    });

    it('has what is to be told due as soon as it holds, and nothing when it fails', async () => {
      await stores.subscribe();
      await directory.renew();
      const running = await stores.freshStream({ configId: 'c' });
      const [stream] = await stores.claimAll();
      const rest = { nextSeq: 3, cursor: LOG_START, deliveries: [] };
      expect(await stores.streams.advance(stream!, rest, NOW, NOW)).toBe('idle');
      const begun = await stores.addTask(2);
      const header = { state: null, endedDelegation: null, artifact: null };
      const entry = { taskId: running, seq: 3, kind: 'task', at: NOW, body: '{}', header } as const;
      const batch: Appended[] = [
        { taskId: running, events: [entry], everyEvent: false, begins: null },
        appended(begun, true, [BILLING]),
      ];
      const wakeup = new PushWakeup();
      const participant = new PushAppendParticipant(streams, new FakeClock(NOW), wakeup);
      const commit = (fails: boolean): Promise<unknown> =>
        stores.database.write(function* (tx) {
          const after = yield* participant.appended(tx, batch);
          if (fails) throw new Error('no');
          return after;
        });
      await expect(commit(true)).rejects.toThrow('no');
      expect(await stores.claimAll()).toEqual([]);
      // A process that ends here has lost nothing: what the commit gives back only wakes the worker.
      await commit(false);
      const told = (await stores.claimAll()).map(({ webhook }) => webhook.taskId);
      expect(told.sort()).toEqual([running, begun].sort());
    });
  });
}
