// `npm run chaos`: the chaos tests at full size. They are test/e2e/chaos*.e2e-spec.ts.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm run chaos [-- options]

Sends tasks with webhooks at receivers that answer, fail, hang, cut, redirect, refuse, flap or resolve to a
private address, kills the hub with SIGKILL while it works, and checks that every healthy receiver was told
everything in order and that all else ended as a dead letter or a disabled webhook with its reason.
Then measures healthy clients, alone and beside agents (JSON-RPC of 1.0 and 0.3, and gRPC) that answer floods,
depths and without end or not at all, ask and keep their streams, stream nothing but lines, have something
large at each poll, or answer a byte at a time, a tenant that takes all it can and a client that sends what is
heavy to read.

  --tasks N        default 500
  --webhooks N     of all tasks together; default 2000
  --kills N        default 5
  --seed N         which webhooks a task has, and in which order; default 1
  --database NAME  sqlite (default) or postgres
  --seconds N      how long healthy clients are measured, each time; default 20
  --help           show this

Figures are printed at the end. Exit code 1 when something was lost, out of order or unexplained, or when the
p99 of healthy clients more than doubled and is over 50 ms.
`;

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '500' },
    webhooks: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
for (const name of ['tasks', 'webhooks', 'kills', 'seed', 'seconds']) {
  const least = name === 'kills' || name === 'seed' ? 0 : 1;
  if (!/^\d{1,9}$/.test(values[name]) || Number(values[name]) < least) {
    refuse(`--${name} ${values[name]}: must be a whole number from ${least}`);
  }
}
if (Number(values.webhooks) < Number(values.tasks)) {
  refuse('--webhooks: every task has at least one, so there must be as many as --tasks');
}
if (!['sqlite', 'postgres'].includes(values.database)) {
  refuse(`--database ${values.database}: must be sqlite or postgres`);
}

const { ensureInstalled } = await import('./ensure-installed.mjs');
const { ensureBuilt } = await import('./ensure-built.mjs');
ensureInstalled();
ensureBuilt();
const { status } = spawnSync(
  process.execPath,
  [
    '--no-warnings',
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    // One after the other: they measure.
    '--runInBand',
    'test/e2e/chaos',
  ],
  {
    cwd: fileURLToPath(new URL('../', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      CHAOS_TASKS: values.tasks,
      CHAOS_WEBHOOKS: values.webhooks,
      CHAOS_KILLS: values.kills,
      CHAOS_SEED: values.seed,
      CHAOS_DATABASE: values.database,
      CHAOS_SECONDS: values.seconds,
    },
  },
);
process.exitCode = status ?? 1;

function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
