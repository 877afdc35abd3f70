// Builds the hub when `dist` is missing or older than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const built = join(root, 'dist/main.js');

/** Builds when needed; throws when that fails. */
export function ensureBuilt() {
  if (existsSync(built) && statSync(built).mtimeMs > newestSource()) return;
  console.log('Building the hub …');
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/@nestjs/cli/bin/nest.js', 'build'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  if (status === 0) return;
  rmSync(built, { force: true });
  throw new Error('The build failed.');
}

/** When the sources or what governs their build last changed. */
function newestSource() {
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => join('src', file));
  const rules = ['package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];
  return Math.max(...[...sources, ...rules].map((file) => statSync(join(root, file)).mtimeMs));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureBuilt();
