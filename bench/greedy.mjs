// Who gets through beside a greedy tenant: one key sends very many tasks to silent agents while another organization
// sends a few.
//   node bench/greedy.mjs [tasks] [agents] [maxConcurrent]      default 3000 5, no limit of its own
// The hub runs with its defaults on a fresh SQLite database.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { admin, look, newKey, startHub } from './hub.mjs';
import { cpuMilliseconds, watchMemory } from './process-figures.mjs';
import { start, stopAll } from './processes.mjs';

const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-greedy-'));
try {
  const hub = await startHub(start, directory, 'hub.db', 'full');
  const agent = await start(['bench/agents/stream-agent.mjs']);
  const memory = watchMemory(hub.pid);
  await greedy(hub.url, agent.url, process.argv.slice(2).map(Number));
  const cpu = (cpuMilliseconds(hub.pid) / 1000).toFixed(1);
  console.log(`hub: ${memory.stop().toFixed(0)} MiB at most, CPU ${cpu} s`);
} finally {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}

/** One key sends `tasks` to silent agents; how soon another organization's tasks begin, there and elsewhere. */
async function greedy(hubUrl, agentUrl, [tasks = 3000, agents = 5, maxConcurrent = 0]) {
  const own = maxConcurrent > 0 ? { maxConcurrent } : {};
  for (let i = 0; i < agents; i++) {
    const cardUrl = `${agentUrl}/silent/.well-known/agent-card.json`;
    await admin(hubUrl, '/api/v1/agents', { id: `silent-${i}`, cardUrl, ...own });
  }
  const cardUrl = `${agentUrl}/quick/.well-known/agent-card.json`;
  await admin(hubUrl, '/api/v1/agents', { id: 'quick', cardUrl });
  const one = await newKey(hubUrl, 'greedy');
  const other = await newKey(hubUrl, 'newcomer');
  const outcomes = {};
  const pool = new Pool(hubUrl, { connections: 64, headersTimeout: 0 });
  const began = performance.now();
  let left = tasks;
  const sender = async () => {
    while (left-- > 0) {
      const to = `silent-${left % agents}`;
      const outcome = await send(pool, one, to, { returnImmediately: true });
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  const flood = Promise.all(Array.from({ length: 64 }, sender));
  const newcomer = new Pool(hubUrl, { connections: 4, headersTimeout: 0 });
  const quickly = async (when) => {
    const start = performance.now();
    const outcome = await send(newcomer, other, 'quick');
    console.log(`  quick, ${when}: ${outcome} after ${Math.round(performance.now() - start)} ms`);
  };
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await quickly('while the greedy one sends');
  await flood;
  console.log(
    `  greedy: ${tasks} tasks in ${Math.round(performance.now() - began)} ms: ${JSON.stringify(outcomes)}`,
  );
  await quickly('afterwards');
  const start = performance.now();
  const outcome = await send(newcomer, other, 'silent-0', { returnImmediately: true });
  let begun = false;
  const health = async () => (await look(hubUrl, '/api/v1/agents/silent-0')).health;
  const tasksOf = async () =>
    (await look(hubUrl, '/api/v1/tasks?organization=newcomer&agentId=silent-0')).items;
  while (!begun && performance.now() - start < 20_000) {
    const items = await tasksOf();
    const delegations = items.flatMap((item) => item.delegations ?? []);
    begun = delegations.some(({ state }) => state === 'sending' || state === 'working');
    if (!begun) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { outstanding, queued } = await health();
  console.log(
    `  a silent agent (${outstanding} at work, ${queued} wait): ${outcome}, ${begun ? 'begun' : 'NOT begun'} after ${Math.round(performance.now() - start)} ms`,
  );
  await pool.destroy();
  await newcomer.destroy();
}

async function send(pool, key, to, configuration) {
  const { statusCode, body } = await pool.request({
    path: `/a2a/agents/${to}`,
    method: 'POST',
    headers: {
      ...key,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] },
        ...(configuration && { configuration }),
      },
    }),
  });
  const text = await body.text();
  if (statusCode !== 200) return `HTTP ${statusCode}`;
  return /"reason":"\w+"|TASK_STATE_\w+/.exec(text)?.[0] ?? text.slice(0, 100);
}
