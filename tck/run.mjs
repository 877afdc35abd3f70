// `npm run tck -- KIT`: a checkout of the public A2A conformance kit against the hub.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/ensure-built.mjs';
import { ensureInstalled } from '../scripts/ensure-installed.mjs';

const HELP = `npm run tck -- KIT [options] [-- pytest arguments]

Runs KIT, a checkout of a2aproject/a2a-tck (the line for A2A 0.2.5, 0.3 or 1.0 is recognised), against
a hub with a reference agent behind it, and prints how many tests passed, failed and were skipped.
Needs Python 3.11 or newer (A2A_TCK_PYTHON names another than the one found) and, the first time, a
way to PyPI. The checkout itself is left as it is.

  --direct              against the reference agent, with no hub
  --compare             both, and list what passes without the hub and not through it
  --transport LIST      some transports only: jsonrpc, grpc, and http_json (1.0) or rest (0.3)
  --level LIST          some groups only: must, should, may (1.0), or mandatory, capabilities,
                        quality, features, unmarked, equivalence (0.x)
  --json FILE           write every test and its outcome there
  --as-built            neither install nor build anything of the hub first
  --help                show this

Ends with 0 when nothing failed but what tck/known.json says is the kit's own fault.
`;

const options = readOptions();
try {
  if (!options['as-built']) {
    ensureInstalled();
    if (!options.direct) ensureBuilt();
  }
  const { runKit } = await import('./runner/run-kit.mjs');
  process.exitCode = (await runKit(options)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
}

/** The options; exits on `--help` and on what it does not know. */
function readOptions() {
  try {
    const [own, pytestArgs] = splitArguments(process.argv.slice(2));
    const { values, positionals } = parseArgs({
      args: own,
      allowPositionals: true,
      options: {
        direct: { type: 'boolean', default: false },
        compare: { type: 'boolean', default: false },
        transport: { type: 'string' },
        level: { type: 'string' },
        json: { type: 'string' },
        'as-built': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    if (positionals.length !== 1) throw new Error('Name one checkout of the kit.');
    if (values.direct && values.compare) throw new Error('--direct or --compare, not both.');
    const checkout = resolve(positionals[0]);
    if (!existsSync(checkout)) throw new Error(`${checkout} does not exist.`);
    return { ...values, checkout, pytestArgs };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${HELP}`);
    process.exit(2);
  }
}

function splitArguments(args) {
  const at = args.indexOf('--');
  return at < 0 ? [args, []] : [args.slice(0, at), args.slice(at + 1)];
}
