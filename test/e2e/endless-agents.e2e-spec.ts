import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type HubProcess, startHubProcess, stateOf } from '../support/app.js';
import {
  type HostileParties,
  startHostileParties,
} from '../support/chaos/start-hostile-parties.js';

/** Each of these tasks may become 64 MiB large, so that together they are many times the heap. */
const TASKS = 32;
const HEAP_MIB = 256;
/** What all of them are to have stored before the hub is judged. */
const STORED_MIB = 150;

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
    for (const id of ['endless', 'chatty']) {
      await hub.registerAgent(`${parties.url}/${id}`, { id });
    }
    await hub.registerAgent(agent.url, { id: 'healthy' });
  }, 60_000);

  afterAll(async () => {
    parties?.process.disconnect();
    await Promise.all([hub?.close(), agent?.close()]);
  });

  it.each([
    ['endless', 'chunks of an artifact'],
    ['chatty', 'messages in its status'],
  ])(
    'does not fill the memory of the hub: %s, with %s',
    async (agentId) => {
      const before = await storedMib();
      for (let n = 0; n < TASKS; n += 1) {
        await hub.send('go', {
          message: { metadata: { agentId } },
          configuration: { returnImmediately: true },
        });
      }
      const end = performance.now() + 90_000;
      while ((await storedMib()) - before < STORED_MIB && performance.now() < end) {
        await sleep(500);
      }
      expect(hub.output).not.toContain('heap out of memory');
      expect((await storedMib()) - before).toBeGreaterThanOrEqual(STORED_MIB);
      const sent = await hub.send('hello', { message: { metadata: { agentId: 'healthy' } } });
      expect(stateOf(sent['task'])).toBe('TASK_STATE_COMPLETED');
    },
    120_000,
  );

  async function storedMib(): Promise<number> {
    const { text } = await hub.admin('GET', '/metrics');
    return Number(/^a2a_hub_stored_bytes(?:{.*})? (\S+)$/m.exec(text)?.[1]) / 1024 / 1024;
  }
});
