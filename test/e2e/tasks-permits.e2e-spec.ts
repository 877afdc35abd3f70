import { afterEach, describe, expect, it } from '@jest/globals';
import { TaskState } from '../../src/protocol/a2a.js';
import { FakeAgent } from '../support/fake-agents.js';
import { eventually } from '../support/eventually.js';
import { BOB, EVE, HubTasks } from '../support/hub-tasks.js';
import { OPERATOR } from '../support/operator.js';

let hub: HubTasks;
afterEach(async () => {
  await hub.runner.stop();
  await hub.database.close();
});

describe('places of the runner', () => {
  it('a silent agent leaves places for others, and its tasks wait their turn', async () => {
    const silent = new FakeAgent('silent', (turn) => turn.working());
    const quick = new FakeAgent('quick', (turn) => turn.completed());
    hub = await HubTasks.start({
      agents: [silent, quick],
      config: { tasks: { maxConcurrent: 4, maxPerAgent: 2 } },
    });
    for (let n = 0; n < 5; n++) await hub.begin(`silent ${n}`, { to: ['silent'] });
    await eventually(() => expect(silent.turns).toHaveLength(2));
    const { id } = await hub.begin('quick', { to: ['quick'] });
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(silent.turns).toHaveLength(2);
    silent.turns[0]!.completed();
    await eventually(() => expect(silent.turns).toHaveLength(3));
    for (let n = 1; n < 5; n++) {
      await eventually(() => expect(silent.turns.length).toBeGreaterThan(n));
      silent.turns[n]!.completed();
    }
  });

  it('by default an agent has three quarters of them', async () => {
    const silent = new FakeAgent('silent', (turn) => turn.working());
    hub = await HubTasks.start({ agents: [silent], config: { tasks: { maxConcurrent: 4 } } });
    for (let n = 0; n < 6; n++) await hub.begin(`silent ${n}`);
    await eventually(() => expect(silent.turns).toHaveLength(3));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(silent.turns).toHaveLength(3);
  });

  it('a newcomer begins at once although one organization fills all it may have', async () => {
    const silent = new FakeAgent('silent', (turn) => turn.working());
    hub = await HubTasks.start({
      agents: [silent],
      config: { tasks: { maxConcurrent: 64, maxPerAgent: 8 } },
      several: true,
    });
    for (let n = 0; n < 20; n++) await hub.begin(`greedy ${n}`);
    await eventually(() => expect(silent.turns).toHaveLength(7));
    for (let n = 0; n < 2; n++) await hub.begin(`newcomer ${n}`, { principal: EVE });
    await eventually(() => expect(silent.turns).toHaveLength(8));
    expect(silent.turns[7]!.text).toBe('newcomer 0');
    // The first one to get free is kept again.
    for (const turn of silent.turns.slice(0, 2)) turn.completed();
    await eventually(() => expect(silent.turns).toHaveLength(9), 10_000);
    expect(silent.turns[8]!.text).toBe('newcomer 1');
  });

  it('principals of one organization begin in turn', async () => {
    const silent = new FakeAgent('silent', (turn) => turn.working());
    hub = await HubTasks.start({
      agents: [silent],
      config: { tasks: { maxConcurrent: 8, maxPerAgent: 1 } },
    });
    for (let n = 0; n < 6; n++) await hub.begin(`greedy ${n}`);
    await hub.begin('colleague', { principal: BOB });
    for (let n = 0; n < 2; n++) {
      await eventually(() => expect(silent.turns.length).toBe(n + 1));
      silent.turns[n]!.completed();
    }
    await eventually(() => expect(silent.turns).toHaveLength(3));
    expect(silent.turns.map(({ text }) => text)).toContain('colleague');
  });

  it('those whose agents are only polled take nearly none, but count at their agent', async () => {
    const polled = new FakeAgent('polled', (turn) => turn.working(), { streaming: false });
    const quick = new FakeAgent('quick', (turn) => turn.completed());
    hub = await HubTasks.start({
      agents: [polled, quick],
      config: { tasks: { maxConcurrent: 2, maxPerAgent: 6 } },
    });
    for (let n = 0; n < 9; n++) await hub.begin(`polled ${n}`, { to: ['polled'] });
    await eventually(() => expect(polled.turns).toHaveLength(6));
    const { id } = await hub.begin('quick', { to: ['quick'] });
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(polled.turns).toHaveLength(6);
    polled.turns[0]!.completed();
    await eventually(() => expect(polled.turns).toHaveLength(7), 10_000);
  });

  it('who waits for authorization takes none', async () => {
    const agent = new FakeAgent('a', (turn) => {
      if (turn.text === 'quick') turn.completed();
      else turn.status(TaskState.TASK_STATE_AUTH_REQUIRED);
    });
    hub = await HubTasks.start({ agents: [agent], config: { tasks: { maxConcurrent: 1 } } });
    const waiting = await hub.begin('waits');
    await hub.until(waiting.id, TaskState.TASK_STATE_AUTH_REQUIRED);
    const { id } = await hub.begin('quick');
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    agent.turns[0]!.completed();
    await hub.until(waiting.id, TaskState.TASK_STATE_COMPLETED);
  });

  it('an agent that is gone takes none by being told of its ends, however many', async () => {
    const gone = new FakeAgent('gone', (turn) => turn.ask('who?'));
    const quick = new FakeAgent('quick', (turn) => turn.completed());
    hub = await HubTasks.start({
      agents: [gone, quick],
      config: { tasks: { maxConcurrent: 4 }, agents: { cancelWaitMs: 1500 } },
    });
    const requested = [];
    for (let n = 0; n < 20; n++) requested.push(await hub.begin('go', { to: ['gone'] }));
    for (const { id } of requested) await hub.until(id, TaskState.TASK_STATE_INPUT_REQUIRED);
    gone.onCancel = 'silent';
    await hub.stopper.stop('gone', OPERATOR);
    await eventually(() => expect(gone.called('cancel')).toBe(16));
    const { id } = await hub.begin('quick', { to: ['quick'] });
    await hub.until(id, TaskState.TASK_STATE_COMPLETED);
    expect(gone.called('cancel')).toBe(16);
    await eventually(() => expect(gone.called('cancel')).toBe(20), 10_000);
  });
});
