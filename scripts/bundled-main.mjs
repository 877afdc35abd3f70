// `main.js` of the bundled hub (see bundle-hub.mjs): runs a command of `hub.cjs`, as src/main.ts does, with the code
// that V8 has compiled before.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
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
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));

const exitCode = await module.exports.run(process.argv.slice(2));
if (exitCode !== undefined) process.exitCode = exitCode;
if (compiles) {
  process.once('exit', () => writeFileSync(compiled, script.createCachedData()));
  process.kill(process.pid, 'SIGTERM');
}
