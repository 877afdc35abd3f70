import { expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { taskExpiryContract } from '../contract/task-expiry.contract.js';
import { taskRetentionContract } from '../contract/task-retention.contract.js';
import { describeDatabases } from '../support/databases.js';
import { FakeAgent } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, collect, HubTasks, statusText } from '../support/hub-tasks.js';

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

    const asked = await api.send('ask');
    expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(statusText(await api.reply(asked, 'Ann'))).toBe('done');

    const waiting = await api.begin('wait');
    await api.until(waiting.id, TaskState.TASK_STATE_WORKING);
    const canceled = await api.service.cancel(waiting.id, api.request(''));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);

    const { id } = await api.begin('count');
    await eventually(async () => expect((await api.kinds(id)).length).toBeGreaterThan(4), 5000);
    worker.store.release = () => Promise.resolve();
    await worker.runner.stop();
    worker = await api.successor();
    const done = await eventually(async () => {
      const task = await api.get(id);
      expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      return task;
    }, 5000);
    expect(artifactTexts(done)).toEqual(NUMBERS);
    await worker.runner.stop();
    expect([...api.output.errors, ...worker.output.errors]).toEqual([]);
  });
});
