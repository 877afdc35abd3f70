// What open consoles cost the clients of a hub: sends while so many people look at its pages, beside sends while none does.
// It is one hub all the time; the consoles come and go between the runs.
import { randomUUID } from 'node:crypto';
import { ADMIN_KEY, admin, newKey, startHub } from './hub.mjs';
import { measurePairs, printPairs } from './pairs.mjs';
import { group } from './processes.mjs';
import { run } from './rounds.mjs';
import { print } from './tables.mjs';

const CONSOLES = 100;

export async function benchConsoles(directory, options) {
  const servers = group();
  try {
    const start = (...all) => servers.startNode(...all);
    const agent = await start(['bench/agents/light-agent.mjs']);
    const { url, pid } = await startHub(start, directory, 'consoles.db', options.synchronous);
    await admin(url, '/api/v1/agents', { id: 'light', cardUrl: agent.url });
    const headers = await newKey(url);
    const target = { agent: 'light', pid, url: `${url}/a2a`, origin: url, headers };
    const withConsoles = (pages) => async () => {
      const consoles = group();
      const task = pages.includes('task') ? await openTask(target) : null;
      const job = JSON.stringify({ hub: url, key: ADMIN_KEY, count: CONSOLES, pages, task });
      await consoles.startNode(['bench/targets/consoles.mjs', job]);
      return () => consoles.stop();
    };
    const pairs = await measurePairs(
      [
        { name: 'none', ...target },
        { name: 'overview', ...target, beside: withConsoles(['overview']) },
        { name: 'a task', ...target, beside: withConsoles(['task']) },
        {
          ...{ name: 'all pages', ...target },
          beside: withConsoles(['overview', 'tasks', 'task', 'agents', 'webhooks']),
        },
      ],
      options,
    );
    await checkBusy(target);
    print(`\nA send while ${CONSOLES} consoles have the overview open, to one while none is`);
    printPairs(pairs, 'none', 'overview');
    print(`\nA send while ${CONSOLES} consoles have a running task open, to one while none has`);
    printPairs(pairs, 'none', 'a task');
    print(
      `\nA send while ${CONSOLES} consoles have all pages open, by turns, to one while none is`,
    );
    printPairs(pairs, 'none', 'all pages');
  } finally {
    await servers.stop();
  }
}

/** The consoles ask as one does that has been told so for a while, which no run is long enough for. */
async function checkBusy(target) {
  const running = run(target, 'SendMessage', { concurrency: 64, milliseconds: 5000 });
  const answers = [];
  for (const wait of [2000, 1500]) {
    await new Promise((done) => setTimeout(done, wait));
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    answers.push(await fetch(`${target.origin}/api/v1/me`, { headers }));
  }
  await running;
  if (!answers.at(-1).headers.has('a2a-hub-busy')) {
    throw new Error('the hub does not say that it is busy: its consoles would ask twice as often');
  }
}

/** The id of a task that goes on. */
async function openTask({ url, headers, agent }) {
  const message = {
    ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'stay' }] },
    metadata: { agentId: agent },
  };
  const params = { message, configuration: { returnImmediately: true } };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }),
  });
  const { result } = await response.json();
  return result.task.id;
}
