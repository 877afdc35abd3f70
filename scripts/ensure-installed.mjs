// Makes node_modules match package-lock.json, so that a command works first thing in a fresh clone.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** Installs what is missing or outdated; throws when that fails. */
export function ensureInstalled() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Node ${process.versions.node} is too old: A2A Hub needs 20.19 or newer.`);
  }
  if (!isInstalled()) {
    console.log('Installing the packages, which may take some minutes …');
    npm('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error');
  }
  // From Node 22.14 on the driver comes compiled (src/database/better-sqlite3.ts). The one for older versions is compiled for
  // one of them; after a change of Node it is compiled again.
  if (Number(process.versions.napi) >= 10 || driverLoads()) return;
  // Where it could not be compiled before, it is not there.
  if (existsSync(`${root}node_modules/better-sqlite3`)) npm('rebuild', 'better-sqlite3');
  else npm('ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error');
  if (!driverLoads()) {
    throw new Error(
      'better-sqlite3 could not be compiled for this Node: that takes python3, make and a C++ compiler (see also `npm config get nodedir`). Node 22.14 and later need none.',
    );
  }
}

/** True when every package of the lock file that this platform needs is there in its version. */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version,
  );
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(root + file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function driverLoads() {
  const script = "new (require('better-sqlite3'))(':memory:').close()";
  return spawnSync(process.execPath, ['-e', script], { cwd: root, stdio: 'ignore' }).status === 0;
}

function npm(...args) {
  console.log(`npm ${args.join(' ')}`);
  const { status } = spawnSync('npm', args, {
    cwd: root,
    stdio: 'inherit',
    // What is compiled is compiled on every core.
    env: { JOBS: 'max', ...process.env },
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args[0]} failed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureInstalled();
