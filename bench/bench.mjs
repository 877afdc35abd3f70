// `npm run bench`: what the hub costs, beside (a) a bare Fastify + undici reverse proxy and (b) the
// SDK's in-memory server used directly, in one alternating run on this machine.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const HELP = `npm run bench [-- options]

  --quick              one short round: a smoke test, not a measurement
  --rounds N           alternating rounds; default 3
  --seconds S          seconds of load per target, concurrency and round; default 2
  --concurrency LIST   default 1,16,64
  --warm N             sends to each target before it is measured; default 15000
  --synchronous MODE   SQLite durability of the hub: full (default) or normal
  --part LIST          of send, routing, fan-out, push, chunks, streams, growth, access, traces,
                       consoles and postgres; default all
  --help               show this

Figures are medians over the rounds. CPU is user and system time of all threads of the target's own
process, per request. Nothing is written into the repository.
`;

const TMPFS = 0x01021994;
/** Registered skills against which the routing is measured. */
const SKILLS = [10, 100, 1000];
/** Streams that are begun a second, evenly. */
const PACED = 300;
const PARTS = [
  'send',
  'routing',
  'fan-out',
  'push',
  'chunks',
  'streams',
  'growth',
  'access',
  'traces',
  'consoles',
  'postgres',
];

const options = readOptions();
const { ensureInstalled } = await import('../scripts/ensure-installed.mjs');
const { ensureBuilt } = await import('../scripts/ensure-built.mjs');
ensureInstalled();
ensureBuilt();
const { routingTimes, start, stopAll } = await import('./processes.mjs');
const { residentMib } = await import('./process-figures.mjs');
const { printCalibration } = await import('./calibration.mjs');
const { measureInTurn, measurePaced } = await import('./rounds.mjs');
const { benchChunks, benchStreams } = await import('./streaming.mjs');
const { benchGrowth } = await import('./growth.mjs');
const { benchAccess } = await import('./access.mjs');
const { benchTraces } = await import('./traces.mjs');
const { benchConsoles } = await import('./consoles.mjs');
const { benchPostgres } = await import('./postgres.mjs');
const { printFanOut, printReport, printRouting } = await import('./report.mjs');
const { FAN_OUTS, registerWide } = await import('./fan-out.mjs');
const { admin, newKey, startHub } = await import('./hub.mjs');
const { measurePush } = await import('./push.mjs');
const { measureBacklog } = await import('./push-memory.mjs');
const { printBacklog, printPush } = await import('./push-report.mjs');

const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-bench-'));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void finish().then(() => process.exit(1)));
}
try {
  describeMachine();
  if (options.parts.includes('routing')) printRouting(await measureRouting());
  if (options.parts.includes('send') || options.parts.includes('fan-out')) await measureHub();
  if (options.parts.includes('push')) {
    printPush(await measurePush(directory, options));
    printBacklog(await measureBacklog(directory, options));
  }
  if (options.parts.includes('chunks')) await benchChunks(directory, options);
  if (options.parts.includes('streams')) await benchStreams(directory, options);
  if (options.parts.includes('growth')) await benchGrowth(directory, options);
  if (options.parts.includes('access')) await benchAccess(directory, options);
  if (options.parts.includes('traces')) await benchTraces(directory, options);
  if (options.parts.includes('consoles')) await benchConsoles(directory, options);
  if (options.parts.includes('postgres')) await benchPostgres(directory, options);
  printCalibration();
} finally {
  await finish();
}

async function measureHub() {
  const { targets, fanOuts } = await startTargets();
  if (options.parts.includes('send')) {
    const figures = await measureInTurn(targets, ['SendMessage', 'SendStreamingMessage'], options);
    const paced = await measurePaced(targets, options.quick ? 20 : PACED, options);
    const memory = targets.map(({ name, pid }) => [name, residentMib(pid)]);
    printReport(figures, paced, [...new Map(memory)]);
  }
  if (options.parts.includes('fan-out')) {
    printFanOut(await measureInTurn(fanOuts, ['SendMessage'], options), FAN_OUTS);
  }
}

/** A process of its own for each number of skills, in turn, so that none profits from the one before. */
async function measureRouting() {
  const figures = [];
  for (let round = 1; round <= options.rounds; round++) {
    console.log(`Routing, round ${round} of ${options.rounds} …`);
    for (const skills of SKILLS) figures.push(await routingTimes(skills, 1000 * options.seconds));
  }
  return figures;
}

/** Each way to reach an agent: the same request goes to each. */
async function startTargets() {
  const [light, sdk, direct] = await Promise.all([
    start(['bench/agents/light-agent.mjs']),
    start(['bench/agents/sdk-agent.mjs']),
    start(['bench/agents/sdk-agent.mjs']),
  ]);
  const paths = { '/light': light.url, '/sdk': sdk.url };
  const proxy = await start(['bench/targets/proxy.mjs', JSON.stringify(paths)]);
  const hub = await startHub(start, directory, 'hub.db', options.synchronous);
  await admin(hub.url, '/api/v1/agents', { id: 'light', cardUrl: light.url });
  await admin(hub.url, '/api/v1/agents', { id: 'sdk', cardUrl: sdk.url });
  const headers = await newKey(hub.url);
  await registerWide((id) => admin(hub.url, '/api/v1/agents', { id, cardUrl: light.url }));
  const toHub = { name: 'hub', pid: hub.pid, url: `${hub.url}/a2a`, headers };
  const targets = [
    { ...toHub, agent: 'light' },
    { name: '(a) proxy', agent: 'light', pid: proxy.pid, url: `${proxy.url}/light` },
    { ...toHub, agent: 'sdk' },
    { name: '(a) proxy', agent: 'sdk', pid: proxy.pid, url: `${proxy.url}/sdk` },
    { name: '(b) SDK', agent: 'direct', pid: direct.pid, url: direct.url },
  ];
  const fanOuts = FAN_OUTS.map(({ name, metadata }) => ({ ...toHub, agent: name, metadata }));
  return { targets, fanOuts };
}

function describeMachine() {
  const [cpu] = cpus();
  console.log(`${cpus().length} x ${cpu.model.trim()}, Node ${process.versions.node}`);
  console.log(`SQLite in ${directory}, synchronous=${options.synchronous}`);
  if (statfsSync(directory).type === TMPFS) {
    console.log('That folder is in memory: syncing costs nothing there. Set TMPDIR to a disk.');
  }
}

async function finish() {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      warm: { type: 'string' },
      concurrency: { type: 'string' },
      synchronous: { type: 'string', default: 'full' },
      part: { type: 'string', default: PARTS.join(',') },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const { quick } = values;
  const parts = values.part.split(',');
  const unknown = parts.find((part) => !PARTS.includes(part));
  if (unknown !== undefined) {
    process.stderr.write(`--part ${unknown}: must be of ${PARTS.join(', ')}\n`);
    process.exit(1);
  }
  return {
    quick,
    parts,
    synchronous: values.synchronous,
    rounds: Number(values.rounds ?? (quick ? 1 : 3)),
    seconds: Number(values.seconds ?? (quick ? 0.4 : 2)),
    warm: Number(values.warm ?? (quick ? 100 : 15_000)),
    concurrency: (values.concurrency ?? '1,16,64').split(',').map(Number),
  };
}
