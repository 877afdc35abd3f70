// What a fresh clone needs before anything runs: a supported Node, the dependencies, and the built hub.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Throws when this Node is older than package.json's `engines` ask for. */
export function requireNode() {
  const wanted = readPackage().engines.node.replace(/[^\d.]/g, '').split('.').map(Number);
  const present = process.versions.node.split('.').map(Number);
  const older = (present[0] - wanted[0] || present[1] - (wanted[1] ?? 0)) < 0;
  if (older) {
    throw new Error(`Node ${wanted.join('.')} or newer is needed; this is ${process.versions.node}.`);
  }
}

/** Installs the dependencies when one is missing or has another version than package.json pins. */
export async function ensureInstalled(say = console.log) {
  const { dependencies, devDependencies } = readPackage();
  const missing = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([name, version]) => !isInstalled(name, version),
  );
  if (missing.length === 0) return;
  const names = missing.map(([name]) => name);
  say(`Installing dependencies (${names.length} missing: ${names.slice(0, 3).join(', ')} …)`);
  say('better-sqlite3 may be compiled; the first time takes a minute or two.');
  await run('npm', ['ci', '--no-audit', '--no-fund']);
}

/** Builds the hub when `dist` is missing or older than its sources. */
export async function ensureBuilt(say = console.log) {
  const built = join(ROOT, 'dist/main.js');
  const newest = Math.max(
    await newestIn(join(ROOT, 'src')),
    ...['package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'].map(
      (file) => statSync(join(ROOT, file)).mtimeMs,
    ),
  );
  if (existsSync(built) && statSync(built).mtimeMs > newest) return;
  say('Building the hub …');
  try {
    await run('npm', ['run', '--silent', 'build']);
  } catch (error) {
    rmSync(built, { force: true });
    throw error;
  }
}

/** Runs a command in the repository with its output shown; rejects when it fails. */
export function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      stdio: 'inherit',
      shell: process.platform === 'win32',
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? `code ${code}`}`));
    });
  });
}

function readPackage() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

function isInstalled(name, version) {
  try {
    const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
    return !/^\d/.test(version) || JSON.parse(manifest).version === version;
  } catch {
    return false;
  }
}

/** The newest change among the files that are built. */
async function newestIn(folder) {
  const files = await readdir(folder, { recursive: true });
  return Math.max(
    ...files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => statSync(join(folder, file)).mtimeMs),
  );
}
