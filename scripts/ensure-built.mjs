// Builds the hub when `dist` is missing or older than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const built = join(root, 'dist/main.js');
/** Built after the compiler, which empties `dist`. */
const pages = join(root, 'dist/console-pages/index.html');

/** Builds when needed; throws when that fails. */
export function ensureBuilt() {
  if (existsSync(built) && existsSync(pages) && statSync(built).mtimeMs > newestSource()) return;
  console.log('Building the hub …');
  if (STEPS.every(succeeds)) return;
  rmSync(built, { force: true });
  throw new Error('The build failed.');
}

/** The compiler, then what is built beside its output. */
const STEPS = [
  ['node_modules/@nestjs/cli/bin/nest.js', 'build'],
  ['scripts/copy-reference.mjs'],
  ['console/build.mjs'],
];

function succeeds(step) {
  return spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** When the sources or what governs their build last changed. */
function newestSource() {
  const sources = ['src', 'console/src', 'console/public'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((file) => /\.(ts|tsx|css|svg)$/.test(file) && !/\.spec\.ts$|schema\.ts$/.test(file))
      .map((file) => join(folder, file)),
  );
  const rules = [
    'package.json',
    'nest-cli.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'console/index.html',
    'console/package.json',
    'console/vite.config.mjs',
    'docs/openapi.json',
  ];
  return Math.max(...[...sources, ...rules].map((file) => statSync(join(root, file)).mtimeMs));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureBuilt();
