import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { artifactTexts, numbersTo } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { LEGACY_JSON_RPC } from '../support/fleet/dialects.js';
import type { JsonObject } from '../support/json.js';
import { CHUNKS_ARTIFACT, type LiveTask } from '../support/live-task.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;

beforeEach(async () => {
  hub = await startHub();
});
afterEach(async () => {
  await hub.close();
  await agent.close();
});

/** The next chunk of the task, which its agent stores, on this stream. */
function chunk(task: LiveTask, call: ScriptedCall): void {
  task.chunk();
  const parts = [{ text: String(task.parts.length) }];
  const artifact = { artifactId: CHUNKS_ARTIFACT, name: 'Numbered chunks', parts };
  const { id: taskId, contextId } = task;
  call.event({ artifactUpdate: { taskId, contextId, artifact, append: task.parts.length > 1 } });
}

function status(task: LiveTask, call: ScriptedCall, state: string): void {
  task.setState(state);
  const { id: taskId, contextId } = task;
  call.event({ statusUpdate: { taskId, contextId, status: { state } } });
}

/** Sends `go`, and a further message once `isTime`. */
async function conversation(isTime: (task: JsonObject) => boolean): Promise<string> {
  await hub.registerAgent(agent.url, { id: 'a' });
  const { id } = await hub.submit('go', { tenant: 'a' });
  const taskId = String(id);
  await eventually(async () => expect(isTime(await hub.getTask(taskId))).toBe(true));
  await hub.submit('and this', { message: { taskId } });
  return taskId;
}

describe.each([
  ['1.0', {}],
  ['0.3', { dialect: LEGACY_JSON_RPC }],
] as const)(
  'a further message to an agent of %s that streams, and begins no stream with its task',
  (_, options) => {
    it('leaves no hole where the agent went on until it had the message', async () => {
      let task: LiveTask;
      agent = await ScriptedAgent.start({
        ...options,
        handlers: {
          SendStreamingMessage: (call) => {
            if (call.text === 'go') {
              task = agent.begin(call, { manual: true, chunks: 12 });
              for (let n = 1; n <= 3; n++) chunk(task, call);
              return;
            }
            for (let n = 4; n <= 8; n++) task.chunk();
            status(task, call, 'TASK_STATE_WORKING');
            for (let n = 9; n <= 12; n++) chunk(task, call);
            status(task, call, 'TASK_STATE_COMPLETED');
            call.end();
          },
        },
      });
      const id = await conversation((seen) => artifactTexts(seen).length === 3);
      const done = await hub.waitForTask(id, 'TASK_STATE_COMPLETED');
      expect(artifactTexts(done)).toEqual(numbersTo(12));
      expect(agent.callsOf('GetTask')).toHaveLength(1);
    });

    it('that waited for the answer to the first one leaves none behind that', async () => {
      let task: LiveTask;
      let first: ScriptedCall | undefined;
      agent = await ScriptedAgent.start({
        ...options,
        handlers: {
          SendStreamingMessage: (call) => {
            if (call.text === 'go') {
              task = agent.begin(call, { manual: true, chunks: 6 });
              first = call.openStream();
              return;
            }
            for (let n = 2; n <= 4; n++) task.chunk();
            for (let n = 5; n <= 6; n++) chunk(task, call);
            status(task, call, 'TASK_STATE_COMPLETED');
            call.end();
          },
        },
      });
      const id = await conversation(() => first !== undefined);
      chunk(task!, first!);
      const done = await hub.waitForTask(id, 'TASK_STATE_COMPLETED');
      expect(artifactTexts(done)).toEqual(numbersTo(6));
    });

    it('is not asked for its task where it waited for the message', async () => {
      let task: LiveTask;
      agent = await ScriptedAgent.start({
        ...options,
        handlers: {
          SendStreamingMessage: (call) => {
            if (call.text === 'go') {
              task = agent.begin(call, { manual: true, chunks: 2 });
              chunk(task, call);
              status(task, call, 'TASK_STATE_INPUT_REQUIRED');
              return call.end();
            }
            chunk(task, call);
            status(task, call, 'TASK_STATE_COMPLETED');
            return call.end();
          },
        },
      });
      const isAsked = ({ status: { state } }: JsonObject): boolean =>
        state === 'TASK_STATE_INPUT_REQUIRED';
      const done = await hub.waitForTask(await conversation(isAsked), 'TASK_STATE_COMPLETED');
      expect(artifactTexts(done)).toEqual(['1', '2']);
      expect(agent.callsOf('GetTask')).toHaveLength(0);
    });
  },
);
