import { describe, expect, it } from '@jest/globals';
import { artifactTexts } from '../support/builders.js';
import type { JsonObject } from '../support/json.js';
import { PeerAgents } from '../support/peer-agents.js';
import { ScriptedAgent, type ScriptedAgentOptions } from '../support/scripted-agent.js';

const peers = new PeerAgents();
const AGENT = '/api/v1/agents/switched';

async function agentWith(options: ScriptedAgentOptions, switches: JsonObject) {
  const agent = await ScriptedAgent.start(options);
  await peers.register(agent.url, 'switched', () => agent.close());
  const patched = await peers.hub.admin('PATCH', AGENT, { switches });
  expect(patched).toMatchObject({ status: 200, body: { switches } });
  return agent;
}

const send = async (): Promise<JsonObject> => {
  const answer = await peers.hub.send('go', {}, { path: '/a2a/agents/switched' });
  return answer['task'] as JsonObject;
};

const submitted = async (): Promise<string> => {
  const task = await peers.hub.submit('go', {}, { path: '/a2a/agents/switched' });
  return String(task['id']);
};

const budgeted = (budgets: JsonObject) => peers.hub.admin('PATCH', AGENT, { budgets });

const methods = (agent: ScriptedAgent): string[] => [
  ...new Set(agent.calls.map(({ method }) => method)),
];

describe('the switches of an agent', () => {
  it('streaming off: it is sent to without a stream, polled, and not subscribed to', async () => {
    const agent = await agentWith({ live: { everyMs: 20 } }, { streaming: 'off' });
    expect(artifactTexts(await send())).toEqual(['1', '2', '3']);
    expect(methods(agent)).toEqual(['SendMessage', 'GetTask']);
    const [sent] = agent.callsOf('SendMessage');
    expect(sent?.params['configuration'].returnImmediately).toBe(true);
    await peers.hub.admin('PATCH', AGENT, { switches: { streaming: null } });
    await send();
    expect(methods(agent)).toContain('SendStreamingMessage');
  });

  it('blocking on: the message waits for the end, longer than for a first event', async () => {
    const agent = await agentWith({ streaming: false, handlers: { GetTask: neverKnown } }, {});
    agent.handlers['SendMessage'] = async (call) => {
      const waits = call.params['configuration'].returnImmediately !== true;
      const task = agent.begin(call, { everyMs: 100 });
      if (waits) await until(() => task.ended);
      call.result({ task: task.snapshot() });
    };
    expect((await send())['status'].state).toBe('TASK_STATE_FAILED');
    await peers.hub.admin('PATCH', AGENT, {
      switches: { blocking: 'on' },
      budgets: { firstEventMs: 100 },
    });
    expect(artifactTexts(await send())).toEqual(['1', '2', '3']);
    expect(agent.callsOf('GetTask')).toHaveLength(1);
  });

  it('a poll interval of its own: the task is asked for no more often', async () => {
    const agent = await agentWith(
      { streaming: false, live: { everyMs: 150 } },
      { pollIntervalMs: 400 },
    );
    expect(artifactTexts(await send())).toEqual(['1', '2', '3']);
    // Others are asked after 50, 75, 112 … ms.
    expect(agent.callsOf('GetTask').length).toBeLessThanOrEqual(3);
  });

  describe('a long poll interval', () => {
    const LONG = 60_000;

    it('does not hide the end of what is canceled', async () => {
      const agent = await agentWith(
        { streaming: false, live: { manual: true } },
        { pollIntervalMs: LONG },
      );
      await budgeted({ cancelWaitMs: 2000 });
      const id = await submitted();
      agent.handlers['CancelTask'] = (call) => {
        const [task] = agent.tasks.values();
        call.result(task!.snapshot());
        setTimeout(() => task!.end(), 100);
      };
      await peers.hub.rpc('CancelTask', { id }).catch(() => undefined);
      const task = await peers.hub.waitForTask(id);
      expect(task['status'].state).toBe('TASK_STATE_COMPLETED');
    });

    it('does not keep what the agent tells of', async () => {
      const agent = await agentWith({}, { pollIntervalMs: LONG });
      agent.handlers['SendStreamingMessage'] = (call) => {
        const task = agent.begin(call, { manual: true });
        call.event({ task: task.snapshot() });
        call.response.end();
      };
      const id = await submitted();
      await until(() => agent.callsOf('SubscribeToTask').length > 0);
      const [task] = agent.tasks.values();
      for (const text of ['one', 'two']) {
        task!.chunk(text);
        const told = (seen: JsonObject): boolean => artifactTexts(seen).includes(text);
        await peers.hub.waitForTask(id, told, 5000);
      }
      task!.end();
      await peers.hub.waitForTask(id);
    });

    it('leaves time for two looks until the agent counts as idle', async () => {
      const agent = await agentWith(
        { streaming: false, live: { everyMs: 150, chunks: 8 } },
        { pollIntervalMs: 1100 },
      );
      await budgeted({ idleMs: 800 });
      agent.handlers['GetTask'] = (call) => {
        if (agent.callsOf('GetTask').length === 2) call.cut();
        else agent.serve(call);
      };
      expect((await send())['status'].state).toBe('TASK_STATE_COMPLETED');
    });
  });

  it('are refused where they mean nothing, and leave together', async () => {
    await agentWith({}, { streaming: 'off', blocking: 'on', files: 'twice' });
    for (const switches of [{ streaming: 'on' }, { pollIntervalMs: 1 }, { files: 3 }, { x: 1 }]) {
      expect((await peers.hub.admin('PATCH', AGENT, { switches })).status).toBe(400);
    }
    const cleared = await peers.hub.admin('PATCH', AGENT, { switches: null });
    expect((cleared.body as JsonObject)['switches']).toEqual({});
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function neverKnown(call: { error(code: number, message: string): void }): void {
  call.error(-32001, 'Task not found');
}
