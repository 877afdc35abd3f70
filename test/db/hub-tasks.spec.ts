import { expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { taskExpiryContract } from '../contract/task-expiry.contract.js';
import { taskRetentionContract } from '../contract/task-retention.contract.js';
import { describeDatabases } from '../support/databases.js';
import { FakeAgent } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, collect, HubTasks, statusText } from '../support/hub-tasks.js';
import { OPERATOR } from '../support/operator.js';

describeDatabases('expiry of contexts and keys', taskExpiryContract);

describeDatabases('retention of tasks', taskRetentionContract);

/** Asks for a name, then greets; counts to 20 when told to. */
const agent = (): FakeAgent =>
  new FakeAgent('a', async (turn) => {
    if (turn.text === 'ask') return turn.ask('who?');
    if (turn.text === 'wait') return turn.working();
    for (let n = 1; n <= 20; n++) {
      turn.chunk(String(n), { append: n > 1 });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return turn.completed('done');
  });
const NUMBERS = Array.from({ length: 20 }, (_, index) => String(index + 1));

describeDatabases('two processes on one database', (databases) => {
  it('send, stream, follow up and cancel across them, and adopt what a dead one leaves', async () => {
    const database = await databases.open();
    const fake = agent();
    const api = await HubTasks.start({ agents: [fake], database, worker: false });
    let worker = await api.successor({ config: { tasks: { leaseMs: 1000 } } });

    const counted = await collect(api.service.sendStream(api.request('count')));
    expect(counted.slice(-2)).toEqual(['artifact 20', 'COMPLETED done']);

    const requested = await api.send('ask');
    expect(requested.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(statusText(await api.reply(requested, 'Ann'))).toBe('done');

    const waiting = await api.begin('wait');
    await api.until(waiting.id, TaskState.TASK_STATE_WORKING);
    const canceled = await api.service.cancel(waiting.id, api.request(''));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);

    const { id } = await api.begin('count');
    await eventually(async () => expect((await api.kinds(id)).length).toBeGreaterThan(4), 10_000);
    worker.store.release = () => Promise.resolve();
    await worker.runner.stop();
    worker = await api.successor();
    const done = await eventually(async () => {
      const task = await api.get(id);
      expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      return task;
    }, 10_000);
    expect(artifactTexts(done)).toEqual(NUMBERS);
    await worker.runner.stop();
    expect([...api.output.errors, ...worker.output.errors]).toEqual([]);
  });

  it('end what an agent works on when one of them kills it, and tell it', async () => {
    const database = await databases.open();
    const fake = agent();
    const api = await HubTasks.start({ agents: [fake], database, worker: false });
    const worker = await api.successor();
    const tasks = await Promise.all(['wait', 'wait'].map((text) => api.begin(text)));
    const requested = await api.send('ask');
    for (const { id } of tasks) await api.until(id, TaskState.TASK_STATE_WORKING);

    expect(await api.stopper.stop('a', OPERATOR)).toEqual({ canceled: 3, movedOn: 0 });
    for (const { id } of [...tasks, requested]) {
      const task = await api.get(id);
      expect(task.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      expect(statusText(task)).toBe('The operator has stopped Agent a.');
    }
    await eventually(() => expect(fake.called('cancel')).toBe(3), 10_000);
    await worker.runner.stop();
    expect([...api.output.errors, ...worker.output.errors]).toEqual([]);
  });

  it('bring an agent that calls one of them to the other, which asks it at once', async () => {
    const database = await databases.open();
    const fake = new FakeAgent('a', (turn) => turn.working(), { streaming: false });
    fake.record.card.capabilities!.pushNotifications = true;
    const config = {
      publicUrl: 'https://hub.example',
      agents: { pollMinMs: 50, pollMaxMs: 600_000 },
    };
    const worker = await HubTasks.start({ agents: [fake], database, config });
    const api = await worker.successor({ config, worker: false });
    const { id } = await worker.begin('go');
    await eventually(() => expect(fake.called('getTask')).toBeGreaterThan(0));
    const { url, token } = fake.turn.send.callback!;
    const delegationId = url.replace('https://hub.example/callbacks/agents/', '');
    expect(await api.callbacks.receive(delegationId, ['wrong'])).toBe(false);
    // In one process of two; on SQLite there is only one.
    const called = databases.dialect === 'postgres' ? api : worker;
    for (const text of ['one', 'two', 'three']) {
      fake.turn.working(text);
      expect(await called.callbacks.receive(delegationId, ['wrong', token])).toBe(true);
      await eventually(async () => {
        const status = statusText(await worker.get(id));
        expect(status).toBe(text);
      });
    }
    fake.turn.completed();
    await called.callbacks.receive(delegationId, [token]);
    await worker.until(id, TaskState.TASK_STATE_COMPLETED);
    await worker.runner.stop();
    expect([...api.output.errors, ...worker.output.errors]).toEqual([]);
  });

  it('forget a task after its time, for everybody', async () => {
    const database = await databases.open();
    const fake = new FakeAgent('a', (turn) =>
      turn.text === 'ask' ? turn.ask('who?') : turn.completed(),
    );
    const hub = await HubTasks.start({
      agents: [fake],
      database,
      config: { tasks: { retentionDays: 1 } },
    });
    const [done, requested] = [await hub.send('go'), await hub.send('ask')];
    await hub.cleanup.cleanUp();
    expect((await hub.get(done.id)).id).toBe(done.id);
    const days = 25 * 60 * 60 * 1000;
    await database.write((tx) => tx.run('UPDATE tasks SET status_at = status_at - ?', [days]));
    await hub.cleanup.cleanUp();
    expect((await hub.get(done.id)).id).toBe(done.id);
    // It goes once the audit log tells of it.
    await database.write((tx) => tx.run('DELETE FROM ended_tasks'));
    await hub.cleanup.cleanUp();
    await expect(hub.get(done.id)).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    await expect(hub.reply(done, 'more')).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    expect((await hub.get(requested.id)).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const page = await hub.service.list({ includeArtifacts: false }, hub.request(''));
    expect(page.tasks.map(({ id }) => id)).toEqual([requested.id]);
    await hub.runner.stop();
  });
});

describeDatabases('a task that is deleted while its agent works', (databases) => {
  it('ends its delegation, and nothing is wrong', async () => {
    let goOn = (): void => undefined;
    const deleted = new Promise<void>((resolve) => (goOn = resolve));
    const slow = new FakeAgent('a', async (turn) => {
      turn.working();
      await deleted;
      turn.completed('too late');
    });
    const database = await databases.open();
    const hub = await HubTasks.start({ agents: [slow], database });
    const { id } = await hub.begin('wait');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    await database.write(function* (tx) {
      yield* tx.run('DELETE FROM delegations WHERE task_id = ?', [id]);
      yield* tx.run('DELETE FROM tasks WHERE id = ?', [id]);
    });
    goOn();
    await eventually(() =>
      expect(hub.output.debugged).toContain('the task of a delegation is gone'),
    );
    await hub.runner.stop();
    expect(hub.output.errors).toEqual([]);
  });
});
