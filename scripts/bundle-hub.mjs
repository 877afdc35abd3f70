// Makes `dist/bundled/main.js` of the built hub: its code and that of its packages in one file. Such a hub starts in
// a third of the CPU time, because Node does not look for some 3,000 files; tests that start many hubs use it.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/**
 * Not bundled: native code, files that are read as such, packages of which others require the one copy by name, and what packages would
 * load if it were installed.
 */
const EXTERNAL = [
  'better-sqlite3',
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

/** What CommonJS packages have in their scope; the other names must be none of theirs. */
const SCOPE = `import { createRequire as $bundleRequire } from 'node:module';
const require = $bundleRequire(import.meta.url);
const { dirname: __dirname, filename: __filename } = import.meta;`;

export async function bundleHub() {
  await build({
    entryPoints: [`${dist}main.js`],
    outfile: `${dist}bundled/main.js`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Classes are known by their names in the API's description and in the log.
    keepNames: true,
    external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
    banner: { js: SCOPE },
    logLevel: 'error',
  });
  await import('./copy-reference.mjs');
  cpSync(`${dist}reference`, `${dist}bundled/reference`, { recursive: true });
}
