// What streams cost: chunks that pass through the hub and through the bare proxy, and very many streams at once.
import { admin, newKey, startHub } from './hub.mjs';
import { cpuMilliseconds, watchMemory } from './process-figures.mjs';
import { group, streamLoad } from './processes.mjs';
import { median, print, table } from './tables.mjs';

/** Streams at once and chunks of each. Paced: what a chunk costs; as fast as they are taken: how many there can be. */
const CHUNKS = [
  { kind: 'paced', streams: 64, chunks: 100, apart: 50 },
  { kind: 'as fast as they are taken', streams: 500, chunks: 60, apart: 0 },
];
const QUICK_CHUNKS = [{ kind: 'paced', streams: 8, chunks: 20, apart: 10 }];

/** Streams that are all begun at once, their chunks and the milliseconds between those. */
const STREAMS = [
  { streams: 1000, chunks: 10, apart: 1000 },
  { streams: 3000, chunks: 6, apart: 3000 },
  { streams: 5000, chunks: 6, apart: 6000 },
];
const QUICK_STREAMS = [{ streams: 50, chunks: 3, apart: 100 }];

const COMPLETED = 'TASK_STATE_COMPLETED';

/** CPU of a chunk and chunks a second, through hub and proxy in turn. */
export async function benchChunks(directory, options) {
  const servers = group();
  const shapes = options.quick ? QUICK_CHUNKS : CHUNKS;
  const agent = await servers.startNode(['bench/agents/stream-agent.mjs']);
  const paths = Object.fromEntries(
    shapes.map((shape, index) => [`/${index}`, agent.url + pathOf(shape)]),
  );
  const proxy = await servers.startNode(['bench/targets/proxy.mjs', JSON.stringify(paths)]);
  const hub = await hubWith(servers, directory, 'chunks.db', agent.url, shapes, options);
  const targets = [
    { name: 'hub', ...hub },
    { name: '(a) proxy', pid: proxy.pid, headers: [{}], urlOf: (index) => `${proxy.url}/${index}` },
  ];
  const figures = [];
  // One round more: the first compiles.
  for (let round = 0; round <= options.rounds; round++) {
    console.log(
      round === 0 ? 'Chunks: warming up …' : `Chunks, round ${round} of ${options.rounds} …`,
    );
    for (const [index, shape] of shapes.entries()) {
      for (const target of targets) {
        const figure = await once(target, index, shape);
        if (figure.failed > 0)
          throw new Error(`${target.name}: ${JSON.stringify(figure.outcomes)}`);
        if (round > 0) figures.push(figure);
      }
    }
  }
  await servers.stop();
  print('\nStreamed chunks');
  table(
    ['streams x chunks', 'target', 'chunks/s', 'CPU ms/chunk', 'first event p50 ms'],
    shapes.flatMap((shape) =>
      targets.map(({ name }) => {
        const of = figures.filter((one) => one.shape === shape && one.name === name);
        const middle = (key) => median(of.map((one) => one[key]));
        return [
          `${shape.streams} x ${shape.chunks}, ${shape.kind}`,
          name,
          ((shape.streams * shape.chunks) / middle('seconds')).toFixed(0),
          (middle('cpu') / (shape.streams * shape.chunks)).toFixed(3),
          middle('firstP50').toFixed(1),
        ];
      }),
    ),
  );
}

/** Each number of streams once, each on a hub of its own. */
export async function benchStreams(directory, options) {
  const rows = [];
  for (const shape of options.quick ? QUICK_STREAMS : STREAMS) {
    const { streams, chunks, apart } = shape;
    console.log(`${streams} streams at once …`);
    const servers = group();
    const agent = await servers.startNode(['bench/agents/stream-agent.mjs']);
    const file = `streams-${streams}.db`;
    const hub = await hubWith(servers, directory, file, agent.url, [shape], options);
    const memory = watchMemory(hub.pid);
    const figure = await once({ name: 'hub', ...hub }, 0, shape);
    rows.push([
      `${streams} x ${chunks} x ${apart / 1000} s`,
      figure.seconds.toFixed(1),
      ((chunks - 1) * (apart / 1000)).toFixed(1),
      figure.failed,
      (figure.firstMost / 1000).toFixed(1),
      memory.stop().toFixed(0),
      (figure.cpu / (streams * chunks)).toFixed(3),
    ]);
    if (figure.failed > 0) console.log(JSON.stringify(figure.outcomes));
    await servers.stop();
  }
  print('\nStreams begun at once');
  table(
    [
      'streams x chunks x gap',
      's',
      's at best',
      'failed',
      'last first event s',
      'MiB',
      'CPU ms/chunk',
    ],
    rows,
  );
}

async function hubWith(servers, directory, file, agentUrl, shapes, { synchronous }) {
  const start = (...all) => servers.startNode(...all);
  const hub = await startHub(start, directory, file, synchronous);
  for (const [index, shape] of shapes.entries()) {
    await admin(hub.url, '/api/v1/agents', { id: `s${index}`, cardUrl: agentUrl + pathOf(shape) });
  }
  const headers = [await newKey(hub.url)];
  return { pid: hub.pid, headers, urlOf: (index) => `${hub.url}/a2a/agents/s${index}` };
}

async function once({ name, pid, headers, urlOf }, index, shape) {
  const before = cpuMilliseconds(pid);
  const result = await streamLoad({ url: urlOf(index), headers, streams: shape.streams });
  const failed = shape.streams - (result.outcomes[COMPLETED] ?? 0);
  return { ...result, name, shape, failed, cpu: cpuMilliseconds(pid) - before };
}

function pathOf({ chunks, apart }) {
  return `/streams/${chunks}/${apart}`;
}
