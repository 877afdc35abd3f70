import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

describe('the queue of an agent that several share', () => {
  let hub: Hub;
  let agent: ScriptedAgent;

  beforeAll(async () => {
    hub = await startHub({ config: { agents: { health: { probeIntervalMs: 0 } } } });
    agent = await ScriptedAgent.start({
      name: 'shared',
      handlers: {
        SendStreamingMessage: (call) => agent.begin(call, { manual: true }).follow(call),
      },
    });
    await hub.registerAgent(agent.url, { id: 'shared', maxConcurrent: 1, maxQueue: 4 });
  });

  afterAll(async () => {
    await hub.close();
    await agent.close();
  });

  it('turns away who is over its share, and nobody else', async () => {
    const keyOf = (name: string, organization: string) => hub.createKey({ name, organization });
    const [greedy, colleague, newcomer] = [
      await keyOf('greedy', 'greedy'),
      await keyOf('colleague', 'greedy'),
      await keyOf('newcomer', 'other'),
    ];
    const send = (key: string) => hub.submit('work', { metadata: { agentId: 'shared' } }, { key });
    await send(greedy);
    await eventually(() => expect(agent.tasks.size).toBe(1));
    for (let n = 0; n < 4; n++) await send(greedy);
    await expect(send(greedy)).rejects.toThrow('shared has its queue full');
    const { id } = await send(newcomer);
    expect(id).toBeDefined();
    await send(newcomer);
    await expect(send(newcomer)).rejects.toThrow('shared has its queue full');
    await expect(send(greedy)).rejects.toThrow('shared has its queue full');
    await expect(send(colleague)).rejects.toThrow('shared has its queue full');
    const { body } = await hub.admin('GET', '/api/v1/agents/shared');
    expect(body.health).toMatchObject({ outstanding: 1, queued: 6, isFull: true });
    // The place that gets free goes to whose turn comes first; the newcomer's comes before the greedy one's second.
    for (let done = 0; done < 2; done++) {
      await eventually(() => expect(agent.tasks.size).toBe(done + 1));
      [...agent.tasks.values()][done]!.end();
    }
    await eventually(() => expect(agent.tasks.size).toBe(3));
    [...agent.tasks.values()][2]!.end();
    await hub.waitForTask(String(id), 'TASK_STATE_COMPLETED', 10_000, { key: newcomer });
  });

  it('keeps a place of an agent for who comes with a key that was just made', async () => {
    const four = await ScriptedAgent.start({
      name: 'four',
      handlers: {
        SendStreamingMessage: (call) => four.begin(call, { manual: true }).follow(call),
      },
    });
    try {
      const other = await startHub({ config: { agents: { health: { probeIntervalMs: 0 } } } });
      try {
        await other.registerAgent(four.url, { id: 'four', maxConcurrent: 4 });
        const greedy = await other.createKey({ name: 'greedy', organization: 'greedy' });
        const newcomer = await other.createKey({ name: 'newcomer', organization: 'other' });
        const send = (key: string) =>
          other.submit('work', { metadata: { agentId: 'four' } }, { key });
        for (let n = 0; n < 8; n++) await send(greedy);
        await eventually(() => expect(four.tasks.size).toBe(3));
        await send(newcomer);
        await eventually(() => expect(four.tasks.size).toBe(4));
        for (const task of four.tasks.values()) task.end();
      } finally {
        await other.close();
      }
    } finally {
      await four.close();
    }
  });
});
