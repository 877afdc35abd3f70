// `npm run chaos`: the chaos test at full size. The test is test/e2e/chaos.e2e-spec.ts.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HELP = `npm run chaos [-- options]

Sends tasks with webhooks at receivers that answer, fail, hang, cut, redirect, refuse, flap or resolve to a
private address, kills the hub with SIGKILL while it works, and checks that every healthy receiver was told
everything in order and that all else ended as a dead letter or a disabled webhook with its reason.

  --tasks N        default 500
  --webhooks N     of all tasks together; default 2000
  --kills N        default 5
  --seed N         which webhooks a task has, and in which order; default 1
  --database NAME  sqlite (default) or postgres
  --help           show this

Figures are printed at the end. Exit code 1 when something was lost, out of order or unexplained.
`;

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '500' },
    webhooks: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
for (const name of ['tasks', 'webhooks', 'kills', 'seed']) {
  const least = name === 'tasks' || name === 'webhooks' ? 1 : 0;
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
  ['--no-warnings', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js', 'test/e2e/chaos'],
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
    },
  },
);
process.exitCode = status ?? 1;

function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
