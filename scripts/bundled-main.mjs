// `main.js` of the bundled hub (see bundle-hub.mjs): runs a command of `hub.cjs`, as src/main.ts does, with the code
// that V8 has compiled before.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const file = fileURLToPath(new URL('hub.cjs', import.meta.url));
const compiled = `${file}.compiled`;
const compiles = process.env.BUNDLED_HUB_COMPILES === 'true';

// It is all ASCII.
const source = readFileSync(file, 'latin1');
const script = new Script(
  `(function (exports, require, module, __filename, __dirname) {${source}\n})`,
  { filename: file, ...(existsSync(compiled) ? { cachedData: readFileSync(compiled) } : {}) },
);
if (script.cachedDataRejected && process.env.BUNDLED_HUB_CHECKS === 'true') {
  throw new Error('V8 does not take what it has compiled: see where the hub sets flags');
}
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));

const exitCode = await module.exports.run(process.argv.slice(2));
if (exitCode !== undefined) await module.exports.endProcess(exitCode);
if (compiles) {
  process.once('exit', () => {
    // V8 takes back only what was compiled under the flags of a start; the hub sets this one later.
    setFlagsFromString('--heap-growing-percent=0');
    writeFileSync(compiled, script.createCachedData());
  });
  process.kill(process.pid, 'SIGTERM');
}
