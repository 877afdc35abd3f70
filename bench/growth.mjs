// What a hub costs that has very many tasks: its first page of ListTasks, a send, its database. The tasks are sent,
// not written into its tables.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { admin, newKey, startHub } from './hub.mjs';
import { group, listTimes } from './processes.mjs';
import { run } from './rounds.mjs';
import { print, table } from './tables.mjs';

const SIZES = [10_000, 100_000];
const QUICK_SIZES = [200, 400];
const FILE = 'growth.db';

export async function benchGrowth(directory, options) {
  const servers = group();
  const agent = await servers.startNode(['bench/agents/light-agent.mjs']);
  const start = (...all) => servers.startNode(...all);
  const hub = await startHub(start, directory, FILE, options.synchronous);
  await admin(hub.url, '/api/v1/agents', { id: 'light', cardUrl: agent.url });
  const headers = await newKey(hub.url);
  const target = { name: 'hub', agent: 'light', pid: hub.pid, url: `${hub.url}/a2a`, headers };
  const rows = [];
  let tasks = 0;
  for (const size of options.quick ? QUICK_SIZES : SIZES) {
    console.log(`Growth: sending until there are ${size} tasks …`);
    const job = { concurrency: 64, milliseconds: 3_600_000, requests: size - tasks };
    await run(target, 'SendMessage', job);
    tasks = size;
    const send = await run(target, 'SendMessage', {
      concurrency: 16,
      milliseconds: 3_600_000,
      requests: Math.ceil(size / 50),
    });
    tasks += Math.ceil(size / 50);
    const lists = await listTimes({ url: target.url, headers, requests: 50 });
    const bytes = ['', '-wal'].reduce((sum, end) => sum + sizeOf(join(directory, FILE + end)), 0);
    rows.push([
      tasks,
      send.cpu.toFixed(3),
      `${lists.p50.toFixed(1)} / ${lists.p99.toFixed(1)}`,
      lists.totalSize,
      (bytes / tasks / 1000).toFixed(2),
    ]);
  }
  await servers.stop();
  print('\nGrowth');
  table(['tasks', 'CPU ms/send', 'ListTasks p50 / p99 ms', 'totalSize', 'kB a task'], rows);
}

function sizeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
