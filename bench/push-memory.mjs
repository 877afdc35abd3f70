// The memory of a hub that has very many deliveries pending, beside one that has none.
import { admin, newKey, startHub } from './hub.mjs';
import { residentMib } from './process-figures.mjs';
import { group, start } from './processes.mjs';
import { Hub, REFUSING_PORT, Receiver } from './push-parties.mjs';

/** Receivers that refuse the connection; each is to be told of every task. */
const RECEIVERS = 50;
const PENDING = 100_000;
const QUICK_PENDING = 1000;

/**
 * Makes a hub's receivers miss so many deliveries, ends it, starts it again and looks at it while it
 * tries them; a hub on an empty database is looked at in the same moments.
 */
export async function measureBacklog(directory, options) {
  const wanted = options.quick ? QUICK_PENDING : PENDING;
  console.log(`Push: letting ${wanted} deliveries gather …`);
  const first = group();
  const starting = (servers, file) =>
    startHub((...all) => servers.startNode(...all), directory, file, options.synchronous);
  const before = await starting(first, 'backlog.db');
  const pending = await fill(before, wanted);
  await first.stop();
  const again = group();
  const [full, empty] = await Promise.all([
    starting(again, 'backlog.db'),
    starting(again, 'empty.db'),
  ]);
  const figures = { pending, receivers: RECEIVERS, full: 0, empty: 0 };
  for (let second = 0; second < (options.quick ? 2 : 20); second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    figures.full = Math.max(figures.full, residentMib(full.pid));
    figures.empty = Math.max(figures.empty, residentMib(empty.pid));
  }
  await again.stop();
  return figures;
}

/** How many deliveries are pending in the end. */
async function fill({ url, pid }, wanted) {
  const agent = await start(['bench/agents/light-agent.mjs']);
  const receiver = new Receiver(await start(['bench/targets/receiver.mjs']));
  await admin(url, '/api/v1/agents', { id: 'light', cardUrl: agent.url });
  const hub = new Hub(url, pid, await newKey(url));
  await hub.send('light', 1, receiver.at('127.0.0.1'));
  const { requests } = await receiver.until(1);
  for (let number = 1; number <= RECEIVERS; number++) {
    await admin(url, '/api/v1/push/subscriptions', {
      organization: 'bench',
      url: `http://127.4.0.${number}:${REFUSING_PORT}/hook`,
    });
  }
  const each = RECEIVERS * requests;
  const tasks = Math.ceil(wanted / each);
  await hub.send('light', tasks);
  return tasks * each;
}
