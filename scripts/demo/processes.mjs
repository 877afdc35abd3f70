// The processes of the demo: the hub, the example agents, and a receiver for webhooks.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { HUB_ARGUMENTS } from '../hub-command.mjs';
import { ROOT } from './root.mjs';

const START_DEADLINE_MS = 30_000;

/** Starts a Node program and resolves with what `ready` finds in its output. */
export async function startProcess(args, { environment = {}, ready, logFile }) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...withoutHubSettings(process.env), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile, { flags: 'a' });
  let output = '';
  const found = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`${args[0]} ${why}; its output:\n${output}`));
    const timer = setTimeout(() => fail('did not start in time'), START_DEADLINE_MS);
    const look = (text) => {
      output = (output + text).slice(-20_000);
      log.write(text);
      const match = ready.exec(output);
      if (!match) return;
      clearTimeout(timer);
      resolve(match[1]);
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with code ${code}`));
  }).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { child, found, output: () => output };
}

/** Ends processes the polite way, and after `graceMs` the other way. */
export async function stopProcesses(children, graceMs = 8000) {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(timer);
    }),
  );
}

/** The example agents, each on a free port: `{name, url, child}`. */
export function startAgents(directory) {
  return Promise.all(
    ['csv-profiler', 'code-metrics', 'text-statistics'].map(async (name) => {
      const { child, found } = await startProcess(
        [join('examples/agents', `${name}.mjs`), '--port', '0'],
        {
          ready: /listening on (http:\S+)\n/,
          logFile: join(directory, `${name}.log`),
        },
      );
      return { name, url: found, child };
    }),
  );
}

/** The hub on SQLite in `directory`. */
export async function startHub({ directory, port, adminKey }) {
  const { child, found, output } = await startProcess(HUB_ARGUMENTS, {
    environment: {
      A2A_HUB__SERVER__HOST: '127.0.0.1',
      A2A_HUB__SERVER__PORT: String(port),
      A2A_HUB__DATABASE__URL: `sqlite:${join(directory, 'hub.db')}`,
      A2A_HUB__AUTH__ADMIN_KEY: adminKey,
      A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
      A2A_HUB__PUSH__ALLOW: '127.0.0.0/8',
      A2A_HUB__LOG__LEVEL: 'warn',
    },
    ready: /listening at (https?:\S+)\n/,
    logFile: join(directory, 'hub.log'),
  });
  return { child, url: found, output };
}

/** A receiver on a free port that keeps what it gets. */
export async function startReceiver() {
  const received = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => (body += text));
    request.on('end', () => {
      received.push({ headers: request.headers, body: JSON.parse(body) });
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/webhook`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** `port` when nothing listens there, else 0 (any free one). */
export async function freePortOr0(port) {
  const taken = await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => undefined);
    socket.unref();
    setTimeout(() => socket.destroy(), 500).unref();
  });
  return taken ? 0 : port;
}

/** The demo's hub is configured by the demo alone. */
function withoutHubSettings(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^A2A_HUB/.test(name)));
}
