// `npm run demo`: the hub, three example agents and a webhook receiver, working on real files.
// Works as the first command on a fresh clone. Nothing but Node's own modules is imported here: the
// rest is loaded once it is installed.
import { parseArgs } from 'node:util';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';

const HELP = `npm run demo [-- options]

Starts a hub on SQLite, three example agents and a webhook receiver, sends real files of this
repository by skill tag, shows the streams and the webhooks, and leaves the hub running.

  --once         end after the show (exit code 0 when everything worked)
  --port PORT    the hub's port; default 4000, or any free one when that is taken
  --data DIR     keep the database and the logs there; default: a temporary folder, removed at the end
  --as-built     neither install nor build anything first
  --help         show this
`;

/** The options; exits on `--help` and on what it does not know. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: 'boolean', default: false },
        port: { type: 'string', default: '4000' },
        data: { type: 'string' },
        'as-built': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error('--port: not a port');
    return { ...values, port };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

const options = readOptions();
try {
  if (!options['as-built']) {
    ensureInstalled();
    ensureBuilt();
  }
  const { runDemo } = await import('./demo/run-demo.mjs');
  process.exitCode = await runDemo(options);
} catch (error) {
  process.stderr.write(`\nThe demo failed: ${error.message}\n`);
  process.exitCode = 1;
}
