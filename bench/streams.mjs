// Many streams at once through the built hub, and who gets through beside a greedy tenant:
//   node bench/streams.mjs [streams] [chunks] [secondsApart] [keys]     default 1000 10 1 1
//   node bench/streams.mjs greedy [tasks] [agents] [maxConcurrent]      default 3000 5, no limit of its own
// The hub runs with its defaults on a fresh SQLite database; agent and clients are processes of their own.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

const SELF = fileURLToPath(import.meta.url);
const ADMIN_KEY = 'bench-admin-key-0123456789abcdef';
const [first, ...others] = process.argv.slice(2);

if (first === 'agent') agent();
else if (first === 'client') await client(JSON.parse(others[0]));
else await main();

/** Streams `chunks`, `every` ms apart, or says nothing (`silent`) or answers at once (`quick`), by its path. */
function agent() {
  const server = createServer((request, response) => {
    const [, kind, chunks, every] = request.url.split('/');
    const url = `http://127.0.0.1:${server.address().port}${request.url}`;
    if (request.method === 'GET') {
      const [base] = url.split('/.well-known');
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify(card(kind, base)));
    }
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      const { id, params } = JSON.parse(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      if (kind === 'silent') return;
      const taskId = randomUUID();
      const contextId = params.message.contextId || randomUUID();
      const event = (result) =>
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      const status = (state) => ({ state, timestamp: new Date().toISOString() });
      event({ task: { id: taskId, contextId, status: status('TASK_STATE_WORKING') } });
      let sent = 0;
      const next = () => {
        if (sent < Number(chunks ?? 0)) {
          const artifact = { artifactId: 'a', parts: [{ text: `chunk ${sent}` }] };
          const append = sent > 0;
          sent += 1;
          event({
            artifactUpdate: {
              taskId,
              contextId,
              artifact,
              append,
              lastChunk: sent === Number(chunks),
            },
          });
          return setTimeout(next, sent === Number(chunks) ? 0 : Number(every));
        }
        event({ statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } });
        response.end();
      };
      next();
    });
  });
  server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () =>
    console.log(`http://127.0.0.1:${server.address().port}`),
  );
}

function card(name, url) {
  return {
    name,
    description: name,
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 's', description: 's', tags: ['bench'] }],
  };
}

/** `count` streams at once, each on a connection of its own; one line of JSON with what came of them. */
async function client({ url, keys, count }) {
  const pool = new Pool(new URL(url).origin, {
    connections: count,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const outcomes = {};
  const firsts = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      let outcome;
      try {
        const { statusCode, body } = await pool.request({
          path: new URL(url).pathname,
          method: 'POST',
          headers: {
            authorization: `Bearer ${keys[n % keys.length]}`,
            'content-type': 'application/json',
            'a2a-version': '1.0',
          },
          body: JSON.stringify(message('SendStreamingMessage')),
        });
        let text = '';
        let isFirst = true;
        for await (const chunk of body) {
          if (isFirst) firsts.push(performance.now() - began);
          isFirst = false;
          text = (text + chunk).slice(-2000);
        }
        outcome =
          statusCode !== 200
            ? `HTTP ${statusCode}`
            : (/TASK_STATE_(COMPLETED|FAILED|REJECTED)/.exec(text)?.[0] ?? text.slice(0, 200));
      } catch (error) {
        outcome = error.code ?? error.message;
      }
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }),
  );
  firsts.sort((a, b) => a - b);
  const at = (share) => Math.round(firsts[Math.floor((firsts.length - 1) * share)] ?? 0);
  const seconds = Math.round(performance.now() - began) / 1000;
  console.log(JSON.stringify({ seconds, outcomes, firstEventMs: { p50: at(0.5), max: at(1) } }));
  await pool.close();
}

function message(method, configuration) {
  return {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] },
      ...(configuration && { configuration }),
    },
  };
}

async function main() {
  const directory = mkdtempSync(join(tmpdir(), 'a2a-hub-streams-'));
  const started = [];
  const start = (args, environment = {}) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    return child;
  };
  try {
    const hub = start(['dist/main.js'], {
      A2A_HUB__SERVER__PORT: '0',
      A2A_HUB__DATABASE__URL: `sqlite:${join(directory, 'hub.db')}`,
      A2A_HUB__AUTH__ADMIN_KEY: ADMIN_KEY,
      A2A_HUB__EGRESS__ALLOW: '127.0.0.0/8',
      A2A_HUB__LOG__LEVEL: 'error',
    });
    const hubUrl = await found(hub, /listening at (http:\S+)/);
    const agentUrl = await found(start([SELF, 'agent']), /(http:\S+)/);
    let peak = 0;
    const memory = setInterval(() => (peak = Math.max(peak, rssOf(hub.pid))), 250);
    const before = rssOf(hub.pid);
    await (first === 'greedy' ? greedy(hubUrl, agentUrl) : streams(hubUrl, agentUrl, start));
    clearInterval(memory);
    console.log(`hub: ${before} MiB before, ${peak} MiB at most, CPU ${cpuOf(hub.pid)} s`);
  } finally {
    for (const child of started) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function streams(hubUrl, agentUrl, start) {
  const [count, chunks, apart, keyCount] = [first ?? 1000, ...others].map(Number);
  const [n, m, s, k] = [count, chunks || 10, apart || 1, keyCount || 1];
  await register(hubUrl, 'streams', `${agentUrl}/streams/${m}/${s * 1000}`);
  const keys = [];
  for (let i = 0; i < k; i++) keys.push(await newKey(hubUrl, `client ${i}`, `org ${i % 3}`));
  const job = { url: `${hubUrl}/a2a/agents/streams`, keys, count: n };
  const client = start([SELF, 'client', JSON.stringify(job)]);
  console.log(
    `${n} streams of ${m} chunks ${s} s apart, ${k} keys: ${await found(client, /(\{.*\})/)}`,
  );
}

/** One key sends `tasks` to silent agents; how soon another organization's tasks begin, there and elsewhere. */
async function greedy(hubUrl, agentUrl) {
  const [tasks = 3000, agents = 5, maxConcurrent = 0] = others.map(Number);
  const own = maxConcurrent > 0 ? { maxConcurrent } : {};
  for (let i = 0; i < agents; i++) {
    await register(hubUrl, `silent-${i}`, `${agentUrl}/silent`, own);
  }
  await register(hubUrl, 'quick', `${agentUrl}/quick`);
  const one = await newKey(hubUrl, 'greedy', 'greedy');
  const other = await newKey(hubUrl, 'newcomer', 'newcomer');
  const outcomes = {};
  const pool = new Pool(hubUrl, { connections: 64, headersTimeout: 0 });
  const began = performance.now();
  let left = tasks;
  const sender = async () => {
    while (left-- > 0) {
      const to = `silent-${left % agents}`;
      const outcome = await send(pool, one, to, { returnImmediately: true });
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  const flood = Promise.all(Array.from({ length: 64 }, sender));
  const newcomer = new Pool(hubUrl, { connections: 4, headersTimeout: 0 });
  const quickly = async (when) => {
    const start = performance.now();
    const outcome = await send(newcomer, other, 'quick');
    console.log(`  quick, ${when}: ${outcome} after ${Math.round(performance.now() - start)} ms`);
  };
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await quickly('while the greedy one sends');
  await flood;
  console.log(
    `  greedy: ${tasks} tasks in ${Math.round(performance.now() - began)} ms: ${JSON.stringify(outcomes)}`,
  );
  await quickly('afterwards');
  const start = performance.now();
  const outcome = await send(newcomer, other, 'silent-0', { returnImmediately: true });
  let begun = false;
  const health = async () => (await admin(hubUrl, 'GET', '/api/v1/agents/silent-0')).health;
  const tasksOf = async () =>
    (await admin(hubUrl, 'GET', '/api/v1/tasks?organization=newcomer&agentId=silent-0')).items;
  while (!begun && performance.now() - start < 20_000) {
    const items = await tasksOf();
    const delegations = items.flatMap((item) => item.delegations ?? []);
    begun = delegations.some(({ state }) => state === 'sending' || state === 'working');
    if (!begun) await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { outstanding, queued } = await health();
  console.log(
    `  a silent agent (${outstanding} at work, ${queued} wait): ${outcome}, ${begun ? 'begun' : 'NOT begun'} after ${Math.round(performance.now() - start)} ms`,
  );
  await pool.destroy();
  await newcomer.destroy();
}

async function send(pool, key, to, configuration) {
  const { statusCode, body } = await pool.request({
    path: `/a2a/agents/${to}`,
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
    },
    body: JSON.stringify(message('SendMessage', configuration)),
  });
  const text = await body.text();
  if (statusCode !== 200) return `HTTP ${statusCode}`;
  return /"reason":"\w+"|TASK_STATE_\w+/.exec(text)?.[0] ?? text.slice(0, 100);
}

async function register(hubUrl, id, url, more = {}) {
  const cardUrl = `${url}/.well-known/agent-card.json`;
  await admin(hubUrl, 'POST', '/api/v1/agents', { id, cardUrl, ...more });
}

async function newKey(hubUrl, name, organization) {
  return (await admin(hubUrl, 'POST', '/api/v1/keys', { name, organization, scopes: ['a2a'] })).key;
}

async function admin(hubUrl, method, path, body) {
  const response = await fetch(hubUrl + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
  return response.json();
}

/** The first match in what a process prints. */
function found(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const match = pattern.exec(text);
      if (match) resolve(match[1]);
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${text}`)));
  });
}

function rssOf(pid) {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}

function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / 100).toFixed(1);
}
