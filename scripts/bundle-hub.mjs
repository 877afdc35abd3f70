// Makes `dist/bundled/` of the built hub: its code and that of its packages in one file, beside it what V8 has compiled
// of that, and `main.js`, which runs it. Such a hub starts in a quarter of the CPU time, because Node neither looks for
// some 3,000 files nor compiles them; tests that start many hubs use it.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const folder = `${dist}bundled/`;

/**
 * Not bundled: native code, files that are read as such, packages of which others require the one copy by name, and what packages would
 * load if it were installed.
 */
const EXTERNAL = [
  'pg-native',
  'swagger-ui-dist',
  'class-transformer',
  'class-validator',
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
];

/** What ES modules have and CommonJS has not. */
const IMPORT_META = {
  'import.meta.url': '$url',
  'import.meta.resolve': '$resolve',
  'import.meta.dirname': '__dirname',
  'import.meta.filename': '__filename',
};
const IMPORT_META_VALUES = `const { fileURLToPath: $toPath, pathToFileURL: $toUrl } = require('node:url');
const $require = require;
require = Object.assign((name) => $require(name.startsWith('file:') ? $toPath(name) : name), $require);
const $url = $toUrl(__filename).href;
const $resolve = (name) => $toUrl(require.resolve(name)).href;`;

export async function bundleHub() {
  rmSync(folder, { recursive: true, force: true });
  await build({
    entryPoints: [`${dist}command-line.js`],
    outfile: `${folder}hub.cjs`,
    bundle: true,
    platform: 'node',
    // V8 keeps what it has compiled of scripts, not of ES modules.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: IMPORT_META,
    banner: { js: IMPORT_META_VALUES },
    minifyWhitespace: true,
    minifySyntax: true,
    // Classes are known by their names in the API's description and in the log.
    keepNames: true,
    external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
    logLevel: 'error',
  });
  cpSync(fileURLToPath(new URL('bundled-main.mjs', import.meta.url)), `${folder}main.js`);
  await import('./copy-reference.mjs');
  for (const pages of ['reference', 'console-pages']) {
    cpSync(`${dist}${pages}`, `${folder}${pages}`, { recursive: true });
  }
  // A start and its end compile what every start needs.
  execFileSync(process.execPath, [`${folder}main.js`], {
    cwd: folder,
    env: {
      BUNDLED_HUB_COMPILES: 'true',
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__DATABASE__URL: 'sqlite::memory:',
      A2A_HUB__AUTH__ADMIN_KEY: 'of-a-hub-that-ends-at-once',
      A2A_HUB__LOG__LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  execFileSync(process.execPath, [`${folder}main.js`, '--version'], {
    env: { BUNDLED_HUB_CHECKS: 'true' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
