import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HubProcess, startHubProcess, stateOf } from '../support/app.js';
import {
  type HostileParties,
  startHostileParties,
} from '../support/chaos/start-hostile-parties.js';
import { casesOf, chosenOf } from '../support/thorough.js';

/** Each of these tasks may become 64 MiB large, so that together they are many times the heap. */
const TASKS = 32;
const HEAP_MIB = 256;
/** What all tasks of one agent are to have stored before the hub is judged: in memory it is larger than the heap. */
const STORED_MIB = 120;

const AGENTS = ['naming', 'wordy', 'noting', 'chatty', 'endless'];

describe('an agent that answers many messages without end', () => {
  let hub: HubProcess;
  let agent: RunningAgent;
  let parties: HostileParties;

  beforeAll(async () => {
    [hub, agent, parties] = await Promise.all([
      startHubProcess({ environment: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` } }),
      startSdkAgent({
        execute: (turn) => void turn.task().working().artifact('r', 'x').complete(),
      }),
      startHostileParties(1),
    ]);
    for (const id of AGENTS) await hub.registerAgent(`${parties.url}/${id}`, { id });
    await hub.registerAgent(agent.url, { id: 'healthy' });
  }, 60_000);

  afterAll(async () => {
    parties?.process.disconnect();
    await Promise.all([hub?.close(), agent?.close()]);
  });

  it.each([
    ['naming', 'the metadata of the task would be larger than 256 KiB'],
    ['wordy', "the ids of the agent's artifacts have more than 65536 characters"],
  ])(
    'ends when what has to stay in memory is too much: %s',
    async (agentId, reason) => {
      const ids = await begin(agentId);
      for (const id of ids) {
        const { status } = await hub.waitForTask(id, 'TASK_STATE_FAILED', 60_000);
        expect(JSON.stringify(status)).toContain(reason);
      }
      expect(hub.output).not.toContain('heap out of memory');
      await expectAlive();
    },
    120_000,
  );

  it.each(
    chosenOf(
      [
        // Many small values, which are several times as large in memory.
        ['noting', 'messages that are metadata', casesOf(85, STORED_MIB)],
        ['chatty', 'messages in its status', STORED_MIB],
        ['endless', 'chunks of an artifact', STORED_MIB],
      ] as const,
      ([agentId]) => agentId === 'noting',
    ),
  )(
    'does not fill the memory of the hub: %s, with %s',
    async (agentId, _, wanted) => {
      const before = await storedMib();
      const ids = await begin(agentId);
      await until(async () => (await storedMib()) - before >= wanted);
      await expectAlive();
      await Promise.all(ids.map((id) => hub.rpc('CancelTask', { id }).catch(() => undefined)));
    },
    240_000,
  );

  async function begin(agentId: string): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < TASKS; n += 1) {
      const sent = await hub.send('go', {
        message: { metadata: { agentId } },
        configuration: { returnImmediately: true },
      });
      ids.push((sent['task'] as { id: string }).id);
    }
    return ids;
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + 200_000;
    while (!(await holds()) && performance.now() < end) await sleep(200);
    expect(hub.output).not.toContain('heap out of memory');
    expect(await holds()).toBe(true);
  }

  /** Answers for another agent. */
  async function expectAlive(): Promise<void> {
    const sent = await hub.send('hello', { message: { metadata: { agentId: 'healthy' } } });
    expect(stateOf(sent['task'])).toBe('TASK_STATE_COMPLETED');
  }

  async function storedMib(): Promise<number> {
    const { text } = await hub.admin('GET', '/metrics');
    return Number(/^a2a_hub_stored_bytes(?:{.*})? (\S+)$/m.exec(text)?.[1]) / 1024 / 1024;
  }
});
