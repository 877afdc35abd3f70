import { expect, it } from '@jest/globals';
import type { AuditEvent } from '../../src/audit/domain/audit-event.js';
import type { Database } from '../../src/database/database.js';
import { TaskState } from '../../src/protocol/a2a.js';
import { EndedTaskLog } from '../../src/tasks/audit/ended-task-log.js';
import { TaskAudit } from '../../src/tasks/audit/task-audit.js';
import { decideOutcome } from '../../src/tasks/domain/delegation-decisions.js';
import { decideCancelRequest } from '../../src/tasks/domain/task-decisions.js';
import { AuditProcess } from '../support/audit-process.js';
import { LogLines } from '../support/log-lines.js';
import type { DatabaseFactory } from '../support/databases.js';
import { FakeClock } from '../support/fake-clock.js';
import { change, chunk, COMPLETED, status, TaskHarness, WORKING } from './task-harness.js';

const CANCELED = TaskState.TASK_STATE_CANCELED;
const SILENT = { warn() {}, info() {} };

/** What the audit log promises of tasks: each that has ended has one entry, whatever ends in between. */
export function endedTasksContract(databases: DatabaseFactory): void {
  /** One process of the hub, as far as tasks and the audit log are stored. */
  class Process {
    readonly tasks: TaskHarness;
    readonly log: AuditProcess;
    readonly audit: TaskAudit;
    readonly lines = new LogLines();

    constructor(
      readonly database: Database,
      clock = new FakeClock(),
      isAudited = true,
    ) {
      this.tasks = new TaskHarness(database, clock, Infinity, undefined, true);
      this.log = new AuditProcess(database, clock);
      this.audit = new TaskAudit(
        this.log.log,
        this.tasks.store,
        clock,
        SILENT,
        { audit: { tasks: isAudited }, log: { tasks: true } },
        new EndedTaskLog(this.lines),
      );
    }

    async end(state = COMPLETED): Promise<string> {
      const { record } = await this.tasks.create();
      await this.tasks.append(record.id, chunk('secret answer'));
      await this.tasks.append(record.id, status(state, this.tasks.clock.now()));
      return record.id;
    }

    async entries(): Promise<readonly AuditEvent[]> {
      const { items } = await this.log.reader.list({ action: 'tasks.end' }, 1000);
      return [...items].reverse();
    }
  }

  const start = async (): Promise<Process> => new Process(await databases.openEmptied());

  it('has an entry of each, with who and which agents, and nothing of what was said', async () => {
    const hub = await start();
    const done = await hub.end();
    const failed = await hub.end(TaskState.TASK_STATE_FAILED);
    const open = await hub.tasks.create();
    await hub.tasks.append(open.record.id, status(WORKING, hub.tasks.clock.now()));
    await hub.audit.recordAll();
    const entries = await hub.entries();
    expect(entries.map(({ resourceId, outcome }) => [resourceId, outcome]).sort()).toEqual(
      [
        [done, 'succeeded'],
        [failed, 'failed'],
      ].sort(),
    );
    const { record, delegations } = await hub.tasks.load(done);
    expect(entries.find(({ resourceId }) => resourceId === done)).toMatchObject({
      ...{ principal: record.principalId, organization: record.organization },
      details: {
        ...{ state: 'TASK_STATE_COMPLETED', endedAt: record.statusAt.toISOString() },
        delegations: delegations.map(({ agentId, state }) => ({ agent: agentId, state })),
      },
    });
    expect(JSON.stringify(entries)).not.toContain('secret');
    await hub.audit.recordAll();
    expect(await hub.entries()).toHaveLength(2);
  });

  it('says of one that has not completed why, and of each of its delegations', async () => {
    const hub = await start();
    const { record, delegations } = await hub.tasks.create({ agents: ['a1', 'a2'] });
    const end = { state: 'failed', reason: 'secret words', code: 'AGENT_BUSY' } as const;
    await hub.tasks.log.update(record.id, (aggregate) =>
      change(decideOutcome(aggregate, delegations[1]!.id, end, hub.tasks.clock.now())),
    );
    const canceled = await hub.tasks.create();
    await hub.tasks.log.update(canceled.record.id, (aggregate) =>
      change(decideCancelRequest(aggregate, hub.tasks.clock.now(), undefined, 'owner-deleted')),
    );
    const completed = await hub.end();
    await hub.audit.recordAll();
    const entries = await hub.entries();
    const detailsOf = (id: string): AuditEvent['details'] | undefined =>
      entries.find(({ resourceId }) => resourceId === id)?.details;
    expect(detailsOf(record.id)).toMatchObject({
      reason: 'AGENT_BUSY',
      delegations: [
        { agent: 'a1', state: 'canceled', reason: 'STEP_FAILED' },
        { agent: 'a2', state: 'failed', reason: 'AGENT_BUSY' },
      ],
    });
    expect(detailsOf(canceled.record.id)).toMatchObject({
      reason: 'OWNER_DELETED',
      delegations: [{ state: 'canceled', reason: 'OWNER_DELETED' }],
    });
    expect(detailsOf(completed)).not.toHaveProperty('reason');
    expect(JSON.stringify(entries)).not.toContain('secret');
  });

  it('has one of each although several processes record them, in many commits', async () => {
    const first = await start();
    const second = new Process(first.database, first.tasks.clock);
    const ids: string[] = [];
    for (let count = 0; count < 150; count++) ids.push(await first.end());
    await Promise.all([first.audit.recordAll(), second.audit.recordAll()]);
    await first.audit.recordAll();
    const recorded = (await first.entries()).map(({ resourceId }) => resourceId!);
    expect([...recorded].sort()).toEqual([...ids].sort());
    expect(await first.log.verify()).toMatchObject({ valid: true, entries: 150 });
  }, 60_000);

  it('has one of each although much is stored of some, of which few are read at once', async () => {
    const hub = await start();
    const { tasks, database } = hub;
    const text = 'x'.repeat(400_000);
    const larger = { requestMetadata: { text: text.repeat(5) } };
    const options = [larger, ...Array.from({ length: 2 }, () => ({ requestMetadata: { text } }))];
    const ids = ['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7'];
    for (const [index, id] of ids.entries()) await tasks.create({ id, ...options[index] });
    const cancelMetadata = { text };
    await tasks.log.update('t3', () => change({ events: [], record: { cancelMetadata } }));
    for (const id of ids) await tasks.append(id, status(CANCELED, tasks.clock.now()));
    await database.write((tx) =>
      tx.run('UPDATE delegations SET progress = ? WHERE task_id = ?', [
        JSON.stringify({ artifacts: [], text }),
        't4',
      ]),
    );
    const taken: string[][] = [];
    const takeEnded = tasks.store.takeEnded.bind(tasks.store);
    tasks.store.takeEnded = function* (tx, limit) {
      const some = yield* takeEnded(tx, limit);
      taken.push(some.tasks.map(({ id }) => id));
      return some;
    };
    await hub.audit.recordAll();
    expect(taken).toEqual([['t0'], ['t1', 't2'], ['t3', 't4', 't5', 't6', 't7']]);
    expect((await hub.entries()).map(({ resourceId }) => resourceId)).toEqual(ids);
  });

  it('has one of each after a commit that failed, or whose answer was lost', async () => {
    const hub = await start();
    const id = await hub.end();
    const write = hub.database.write.bind(hub.database);
    hub.database.write = () => Promise.reject(new Error('away'));
    await expect(hub.audit.recordAll()).rejects.toThrow('away');
    hub.database.write = async (work, durability) => {
      await write(work, durability);
      throw new Error('Connection terminated');
    };
    await expect(hub.audit.recordAll()).rejects.toThrow('Connection terminated');
    hub.database.write = write;
    await hub.audit.recordAll();
    expect((await hub.entries()).map(({ resourceId }) => resourceId)).toEqual([id]);
  });

  it('has the entry before the task is deleted', async () => {
    const hub = await start();
    const id = await hub.end();
    const now = new Date(hub.tasks.clock.now().getTime() + 1000);
    expect(await hub.tasks.store.deleteTask(id, now, true)).toBe('unrecorded');
    expect((await hub.tasks.store.forgetTasks(now, 10, null)).taskIds).toEqual([]);
    await hub.audit.recordAll();
    expect(await hub.tasks.store.deleteTask(id, now, true)).toBe('deleted');
  });

  it('has the entry of one that is to be deleted at once, and leaves the others', async () => {
    const hub = await start();
    const others = [await hub.end(), await hub.end()];
    const id = await hub.end();
    await hub.audit.record(id);
    expect((await hub.entries()).map(({ resourceId }) => resourceId)).toEqual([id]);
    const now = new Date(hub.tasks.clock.now().getTime() + 1000);
    expect(await hub.tasks.store.deleteTask(id, now, true)).toBe('deleted');
    await hub.audit.record(others[0]!);
    await hub.audit.record(others[0]!);
    await hub.audit.recordAll();
    expect((await hub.entries()).map(({ resourceId }) => resourceId)).toEqual([id, ...others]);
    expect(await hub.log.verify()).toMatchObject({ valid: true, entries: 3 });
  });

  it('has a line in the log of each, once, with its route and agents and nothing of what was said', async () => {
    const hub = await start();
    const id = await hub.end();
    const { record, delegations } = await hub.tasks.load(id);
    await hub.audit.recordAll();
    await hub.audit.recordAll();
    const lines = hub.lines.of('task ended', 'info');
    expect(lines).toMatchObject([
      {
        ...{ taskId: id, contextId: record.contextId, state: 'TASK_STATE_COMPLETED' },
        ...{ caller: record.principalId, organization: record.organization },
        ...{ routedBy: 'agent', strategy: 'one', ms: expect.any(Number) },
        agents: delegations.map(({ agentId }) => ({ agent: agentId })),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('has none where tasks are not to be recorded', async () => {
    const hub = new Process(await databases.openEmptied(), new FakeClock(), false);
    const id = await hub.end();
    await hub.audit.recordAll();
    expect(await hub.entries()).toEqual([]);
    expect(hub.lines.of('task ended')).toMatchObject([{ taskId: id }]);
    expect(await hub.tasks.store.deleteTask(id, hub.tasks.clock.now(), true)).toBe('deleted');
  });
}
