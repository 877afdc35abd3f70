import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as pause } from 'node:timers/promises';
import { type Hub, startHub, stateOf } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import type { LiveTask } from '../support/live-task.js';
import { ScriptedAgent, type ScriptedCall } from '../support/scripted-agent.js';

/** Milliseconds that calls of one round take: on their way to the agent, and its answers on their way back. */
interface Delays {
  readonly there: number;
  readonly back: number;
  readonly cancel: number;
}

interface Round extends Delays {
  readonly streaming: boolean;
  /** How long after the message the cancel comes. */
  readonly after: number;
}

const AFTER = [0, 10];
const ROUNDS: Round[] = [true, false].flatMap((streaming) =>
  [0, 15].flatMap((there) =>
    [0, 15].flatMap((back) =>
      [0, 15].flatMap((cancel) =>
        AFTER.map((after) => ({ streaming, there, back, cancel, after })),
      ),
    ),
  ),
);

let hub: Hub;
const agents: ScriptedAgent[] = [];
beforeAll(async () => {
  hub = await startHub({ config: { agents: { pollMinMs: 20, cancelWaitMs: 1500 } } });
  await hub.key();
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.close();
});
afterAll(() => hub.close());

/** What one agent does with its messages; a canceled task that gets one goes on, as many agents have it. */
type Behaviour = (task: LiveTask, text: string) => void;

const delaysOf = (call: ScriptedCall): Delays =>
  JSON.parse(call.text.replace(/^\w+ /, '')) as Delays;

/** An agent whose calls take as long as each message says. */
async function slow(id: string, streaming: boolean, behaviour: Behaviour, tag = id) {
  const cancels = new Map<string, number>();
  const take = async (call: ScriptedCall): Promise<void> => {
    const { there, back, cancel } = delaysOf(call);
    await pause(there);
    const known = agent.tasks.get(String(call.message['taskId'] ?? ''));
    known?.resume(call.message);
    const task = known ?? agent.begin(call, { manual: true });
    cancels.set(task.id, cancel);
    behaviour(task, call.text);
    await pause(back);
    if (streaming) task.follow(call);
    else call.result({ task: task.snapshot() });
  };
  const agent: ScriptedAgent = await ScriptedAgent.start({
    streaming,
    skills: [{ id: 'work', tags: [tag] }],
    handlers: {
      SendMessage: take,
      SendStreamingMessage: take,
      CancelTask: async (call) => {
        await pause(cancels.get(String(call.params['id'])) ?? 0);
        agent.serve(call);
      },
    },
  });
  agents.push(agent);
  await hub.registerAgent(agent.url, { id });
  return agent;
}

/** Every task that the hub has ended has ended at its agents as well, and nothing is left open. */
async function expectNothingOpen(taskIds: readonly string[]): Promise<void> {
  for (const id of taskIds) await hub.waitForTask(id);
  await eventually(() => {
    const open = agents.flatMap((agent) => [...agent.tasks.values()].filter((one) => !one.ended));
    expect(open.map((task) => storyOf(task))).toEqual([]);
    // The hub asks again after ever longer pauses where the machine is too busy to answer in time.
  }, 40_000);
}

/** What an agent has been asked about one of its tasks, in order. */
function storyOf(task: LiveTask): string {
  const calls = agents.flatMap((agent) => agent.calls);
  const about = calls.filter(({ params, message }) =>
    [params['id'], message?.['taskId']].includes(task.id),
  );
  return [task.state, ...about.map((call) => `${call.method} ${call.text}`.trim())].join('; ');
}

async function cancel(id: string): Promise<void> {
  try {
    await hub.rpc('CancelTask', { id });
  } catch (error) {
    expect(error).toMatchObject({ code: -32002 });
  }
}

/** A follow-up that comes too late is refused; everything else about it must work. */
async function reply(id: string, text: string): Promise<void> {
  try {
    await hub.submit(text, { message: { taskId: id } });
  } catch (error) {
    expect(error).toMatchObject({ code: -32004 });
  }
}

const textOf = (word: string, { there, back, cancel }: Delays): string =>
  `${word} ${JSON.stringify({ there, back, cancel })}`;

const agentOf = (name: string, { streaming }: Round): string =>
  `${name}-${streaming ? 'streams' : 'polled'}`;

/** Starts each round's task, brings it to `state`, then sends a message and cancels at the same time. */
async function crossing(name: string, behaviour: Behaviour, state: string): Promise<string[]> {
  const begun = async (text: string, agentId: string): Promise<JsonObject> => {
    if (state !== 'TASK_STATE_INPUT_REQUIRED') return hub.submit(text, { metadata: { agentId } });
    // Answered when it waits.
    return (await hub.send(text, { metadata: { agentId } }))['task'] as JsonObject;
  };
  for (const streaming of [true, false]) {
    await slow(agentOf(name, { streaming } as Round), streaming, behaviour);
  }
  return Promise.all(
    ROUNDS.map(async (round) => {
      const begin = textOf('begin', { there: 0, back: 0, cancel: round.cancel });
      const task = await begun(begin, agentOf(name, round));
      const id = String(task['id']);
      await hub.waitForTask(id, state, 20_000);
      const sent = reply(id, textOf('more', round));
      await pause(round.after);
      await Promise.all([sent, cancel(id)]);
      return id;
    }),
  );
}

it('an answer and a cancel at the same moment leave nothing open, whichever the agent gets first', async () => {
  const ids = await crossing(
    'asks',
    (task, text) => {
      if (text.startsWith('begin')) task.setState('TASK_STATE_INPUT_REQUIRED', 'Which one?');
    },
    'TASK_STATE_INPUT_REQUIRED',
  );
  await expectNothingOpen(ids);
}, 120_000);

it('so do a further message to a working task and a cancel', async () => {
  const ids = await crossing(
    'works',
    (task) => task.setState('TASK_STATE_WORKING'),
    'TASK_STATE_WORKING',
  );
  await expectNothingOpen(ids);
}, 120_000);

it('so do the first message and a cancel', async () => {
  for (const streaming of [true, false]) {
    await slow(agentOf('first', { streaming } as Round), streaming, (task) =>
      task.setState('TASK_STATE_WORKING'),
    );
  }
  const ids = await Promise.all(
    ROUNDS.map(async (round) => {
      const text = textOf('begin', round);
      const task = await hub.submit(text, { metadata: { agentId: agentOf('first', round) } });
      const id = String(task['id']);
      await pause(round.after);
      await cancel(id);
      return id;
    }),
  );
  await expectNothingOpen(ids);
  for (const id of ids) {
    expect(stateOf(await hub.getTask(id))).toBe('TASK_STATE_CANCELED');
  }
});

it('so does a cancel while the next agent of the route takes over', async () => {
  const [refuses, takes] = [
    await slow('a-refuses', false, () => undefined, 'handover'),
    await slow('b-takes', false, (task) => task.setState('TASK_STATE_WORKING'), 'handover'),
  ];
  refuses.handlers['SendMessage'] = async (call) => {
    await pause(delaysOf(call).there);
    call.send(503, 'not today');
  };
  const handedOver = await hub.submit(textOf('begin', ROUNDS[0]!), {
    metadata: { skillTags: ['handover'] },
  });
  await hub.waitForTask(String(handedOver['id']), 'TASK_STATE_WORKING');
  await cancel(String(handedOver['id']));
  expect(takes.tasks.size).toBe(1);
  const rounds = ROUNDS.filter(({ streaming }) => !streaming);
  const ids = await Promise.all(
    rounds.map(async (round) => {
      const metadata: JsonObject = { skillTags: ['handover'] };
      const id = String((await hub.submit(textOf('begin', round), { metadata }))['id']);
      await pause(round.after);
      await cancel(id);
      return id;
    }),
  );
  await expectNothingOpen(ids);
}, 120_000);
