// What deliveries cost: webhooks to a receiver that answers at once, beside a bare undici loop that posts
// the same bytes to it, with no, one and a hundred dead receivers in the same organization. Each of these
// is a hub of its own; they are measured in turn.
import { Pool } from 'undici';
import { admin, newKey, startHub } from './hub.mjs';
import { cpuMilliseconds } from './process-figures.mjs';
import { postLoop, start } from './processes.mjs';
import { Hub, REFUSING_PORT, Receiver, addresses } from './push-parties.mjs';

/** Dead receivers of each hub: every second one hangs, the others refuse the connection. */
const DEAD = [0, 1, 100];
const QUICK_DEAD = [2];
/** The hub's defaults: attempts at once to one receiver, and in all. */
const PER_RECEIVER = 10;
const IN_ALL = 200;
const WIDE = IN_ALL / PER_RECEIVER;
/** A request is sent so often while the latency is measured. */
const EVERY_MS = 40;

/** Ways to deliver: to one receiver, and to as many as the hub's places are for. */
const WAYS = [
  { way: 'one', agent: 'light', addresses: ['127.0.0.1'], share: 1 },
  { way: 'many', agent: 'wide', addresses: addresses('127.3.0', WIDE), share: 0.1 },
];

/** One figure per measure, number of dead receivers and round. */
export async function measurePush(directory, options) {
  const bench = await open(directory, options);
  if (!options.quick) {
    console.log('Push: warming up …');
    for (const hub of bench.hubs) {
      for (const way of WAYS) await deliveries(bench, hub, way, bench.tasks);
    }
  }
  const figures = [];
  for (let round = 1; round <= options.rounds; round++) {
    console.log(`Push, round ${round} of ${options.rounds} …`);
    for (const way of WAYS) {
      const urls = way.addresses.map((address) => bench.receiver.at(address));
      const concurrency = PER_RECEIVER * urls.length;
      const { bytes } = bench;
      const milliseconds = 1000 * options.seconds;
      const bare = await postLoop({ urls, bytes, concurrency, milliseconds });
      figures.push({ ...bare, name: 'bare', way: way.way, concurrency });
      for (const hub of inTurn(bench.hubs, round)) {
        await hub.wakeDead();
        figures.push(await deliveries(bench, hub, way, bench.tasks));
      }
    }
    figures.push(await bareLatency(bench, options));
    for (const hub of inTurn(bench.hubs, round)) {
      await hub.wakeDead();
      figures.push(await latency(bench, hub, options));
    }
  }
  return figures;
}

async function open(directory, options) {
  const agent = await start(['bench/agents/light-agent.mjs']);
  const receiver = new Receiver(await start(['bench/targets/receiver.mjs']));
  const { hangingPort } = await receiver.figures();
  const hubs = [];
  for (const dead of options.quick ? QUICK_DEAD : DEAD) {
    const { url, pid } = await startHub(start, directory, `push-${dead}.db`, options.synchronous);
    for (const id of ['light', 'wide', 'other']) {
      await admin(url, '/api/v1/agents', { id, cardUrl: agent.url });
    }
    const hub = new Hub(url, pid, await newKey(url), deadUrls(dead, hangingPort));
    for (const { way, agent: id, addresses: all } of WAYS) {
      const made = all.map((address) =>
        admin(url, '/api/v1/push/subscriptions', {
          organization: 'bench',
          url: receiver.at(address),
          filter: { agents: [id] },
        }),
      );
      hub.subscriptions.set(way, await Promise.all(made));
    }
    hubs.push(hub);
  }
  return {
    receiver,
    hubs,
    bytes: 500,
    tasks: options.quick ? 40 : Math.round(500 * options.seconds),
  };
}

/**
 * Deliveries per second: events gather while the subscriptions are paused; what is measured is from the
 * first to the last of them at the receiver, and the hub's CPU meanwhile.
 */
async function deliveries(bench, hub, { way, agent, addresses: all, share }, tasks) {
  const { receiver } = bench;
  const count = Math.round(tasks * share);
  await hub.all(way, 'pause');
  await hub.send(agent, count);
  await receiver.clear();
  const before = cpuMilliseconds(hub.pid);
  await hub.all(way, 'resume');
  const figures = await receiver.until(count * all.length);
  const cpu = (cpuMilliseconds(hub.pid) - before) / figures.requests;
  const perSecond = (1000 * (figures.requests - 1)) / (figures.lastAt - figures.firstAt);
  bench.bytes = Math.round(figures.bytes / figures.requests);
  return { name: 'hub', dead: hub.deadUrls.length, way, perSecond, cpu };
}

/** From the hub's own timestamp of a task's first event to its request's arrival, one task at a time. */
async function latency({ receiver }, hub, { seconds }) {
  await receiver.clear();
  const messages = Math.ceil((4000 * seconds) / EVERY_MS);
  const pool = new Pool(hub.url, { connections: 4, pipelining: 1 });
  const sent = [];
  for (let turn = 0; turn < messages; turn++) {
    sent.push(hub.sendOne(pool, 'light'));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  await Promise.all(sent);
  const { latencies } = await receiver.until(messages);
  await pool.close();
  return { name: 'hub', dead: hub.deadUrls.length, way: 'latency', latencies };
}

/** The same of a bare request: from right before it is asked for to its arrival. */
async function bareLatency({ receiver, bytes }, { seconds }) {
  await receiver.clear();
  await postLoop({
    urls: [receiver.at('127.0.0.1')],
    bytes,
    concurrency: 1,
    milliseconds: 4000 * seconds,
    everyMs: EVERY_MS,
  });
  const { latencies } = await receiver.figures();
  return { name: 'bare', way: 'latency', latencies };
}

function deadUrls(count, hangingPort) {
  return addresses('127.5.0', count).map((address, index) => {
    return `http://${address}:${index % 2 === 0 ? hangingPort : REFUSING_PORT}/hook`;
  });
}

/** Each round begins with another one. */
function inTurn(all, round) {
  return all.map((_, index) => all[(index + round - 1) % all.length]);
}
