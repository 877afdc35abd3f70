import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { statusUpdate } from '../../src/protocol/build.js';
import { FakeAgent, type FakeAgentOptions, type Turn } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { artifactTexts, HubTasks, statusText } from '../support/hub-tasks.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  await hub.database.close();
});

/** Asks, and leaves its stream open. */
const asksAndStays = (turn: Turn): void => turn.status(TaskState.TASK_STATE_INPUT_REQUIRED, 'who?');

async function requested(agent: FakeAgent): Promise<string> {
  hub = await HubTasks.start({ agents: [agent] });
  const { id } = await hub.begin('go');
  await hub.until(id, TaskState.TASK_STATE_INPUT_REQUIRED);
  return id;
}

describe('an agent that goes on without its answer', () => {
  it('is heard on the stream it has kept, however long it takes', async () => {
    const agent = new FakeAgent('a', asksAndStays);
    const id = await requested(agent);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    agent.turn.working('never mind');
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    agent.turn.chunk('result');
    agent.turn.completed('done');
    const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(statusText(done)).toBe('done');
    expect(artifactTexts(done)).toEqual(['result']);
    expect(agent.turns).toHaveLength(1);
    expect(hub.output.errors).toEqual([]);
  });

  for (const options of [{ streaming: true }, { streaming: false }] as FakeAgentOptions[]) {
    it(`is found by asking when it has no stream any more (${JSON.stringify(options)})`, async () => {
      const agent = new FakeAgent('a', (turn) => turn.ask('who?'), options);
      const id = await requested(agent);
      agent.turn.working('never mind');
      await hub.until(id, TaskState.TASK_STATE_WORKING);
      agent.turn.chunk('result');
      agent.turn.completed('done');
      const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
      expect(artifactTexts(done)).toEqual(['result']);
      expect(hub.output.errors).toEqual([]);
    });
  }

  it('belongs to the run that hears it, and is canceled with its agent', async () => {
    const agent = new FakeAgent('a', asksAndStays);
    const id = await requested(agent);
    agent.turn.working();
    await hub.until(id, TaskState.TASK_STATE_WORKING);
    const [delegation] = (await hub.log.read(id, { kind: 'everything' }))!.delegations;
    expect(delegation).toMatchObject({ owner: hub.runner.owner, epoch: 1 });
    const canceled = await hub.service.cancel(id, hub.request(''));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect(agent.called('cancel')).toBe(1);
  });

  it('takes the answer all the same when it comes first', async () => {
    const agent = new FakeAgent('a', (turn) =>
      turn.text === 'go' ? asksAndStays(turn) : turn.completed('hello Ann'),
    );
    const id = await requested(agent);
    const done = await hub.reply(await hub.get(id), 'Ann');
    expect(statusText(done)).toBe('hello Ann');
    await eventually(() => expect(agent.turns).toHaveLength(2));
  });

  it('and has not named its task stays with the run that heard it ask', async () => {
    const agent = new FakeAgent('a', (turn) => {
      const ref = { taskId: '', contextId: turn.contextId };
      const state = TaskState.TASK_STATE_INPUT_REQUIRED;
      turn.emit({ payload: statusUpdate(ref, state, new Date()) }, false);
      turn.close();
    });
    hub = await HubTasks.start({ agents: [agent], config: { tasks: { leaseMs: 1000 } } });
    const { id } = await hub.begin('go');
    await hub.until(id, TaskState.TASK_STATE_INPUT_REQUIRED);
    await new Promise((resolve) => setTimeout(resolve, 2300));
    const [delegation] = (await hub.store.load(id, { kind: 'everything' }))!.delegations;
    expect(delegation).toMatchObject({ owner: hub.runner.owner, epoch: 1 });
  });
});

describe('agents that keep their streams while their clients are to answer', () => {
  for (const state of [
    TaskState.TASK_STATE_INPUT_REQUIRED,
    TaskState.TASK_STATE_AUTH_REQUIRED,
  ] as const) {
    it(`keep some of them, and are found by polling without (${TaskState[state]})`, async () => {
      const keeps = (turn: Turn): void => turn.status(state, 'who?');
      const greedy = new FakeAgent('a', keeps);
      const other = new FakeAgent('b', keeps);
      // An eighth of them: two streams.
      hub = await HubTasks.start({
        agents: [greedy, other],
        config: { tasks: { maxConcurrent: 16 } },
      });
      const begun = async (agent: FakeAgent): Promise<string> => {
        const { id } = await hub.begin('go', { agentId: agent.id });
        await hub.until(id, state);
        return id;
      };
      await begun(other);
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.push(await begun(greedy));
      await eventually(() => expect(greedy.openStreams).toBe(1));
      expect(other.openStreams).toBe(1);
      for (const turn of greedy.turns) {
        turn.chunk('result');
        turn.completed('never mind');
      }
      for (const id of ids) {
        const done = await hub.until(id, TaskState.TASK_STATE_COMPLETED);
        expect(artifactTexts(done)).toEqual(['result']);
      }
      expect(hub.output.errors).toEqual([]);
    });
  }
});
