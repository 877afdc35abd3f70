// A process of its own, so that what it costs is not the clients' time: agents that answer badly, a tenant
// that takes all it can, and a client that sends what is heavy to read. Its parent sends {"attack": {...}}
// and ends it; it sends {"url"} once its agents listen, and {"counts"} each second.
import { randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';

const MIB = 1024 * 1024;
/** How large what is large is, in MiB. */
const SIZE = Number(process.env.CHAOS_SIZE ?? 12) * MIB;
const counts = {};

const filled = (piece, size) => piece.repeat(Math.floor(size / piece.length));
const FLOOD = `[${filled('{},', SIZE)}{}]`;
const LARGE = JSON.stringify('x'.repeat(SIZE));
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const NUMBERS = `[${filled('1,', Math.min(SIZE, 9 * MIB))}1]`;

/** What an agent answers to a message, as the text of the JSON-RPC result; the agent `silent` answers nothing, ever. */
const AGENTS = {
  flood: (id) => answer(id, `{"message":{"messageId":"a","role":"ROLE_AGENT","parts":${FLOOD}}}`),
  large: (id) => answer(id, `{"message":${message(`{"text":${LARGE}}`)}}`),
  deep: (id) => answer(id, `{"message":${message(`{"data":${DEEP}}`)}}`),
};

/** What an agent streams again and again; it takes a cancel, by ending nothing. */
const CANCELABLE = {
  chatty: said,
  noting: noted,
  naming: named,
  wordy: identified,
};
/** The first one also answers a cancel so. */
const ENDLESS = { endless: chunk, ...CANCELABLE };

function message(part) {
  return `{"messageId":"a","role":"ROLE_AGENT","parts":[${part}]}`;
}

function answer(id, result) {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

function refused(id) {
  const error = { code: -32002, message: 'Task cannot be canceled' };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

const server = createServer((asked, response) => {
  const [, name] = asked.url.split('/');
  if (asked.method === 'GET') return void sendCard(name, response);
  let body = '';
  asked.on('data', (piece) => (body += piece));
  asked.on('end', () => {
    count(`asked ${name}`);
    const { id = null, method } = JSON.parse(body);
    if (name in CANCELABLE && method === 'CancelTask') {
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(refused(id));
    }
    if (name in ENDLESS) return endless(id, response, ENDLESS[name]);
    const text = AGENTS[name]?.(id);
    if (text === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
});

function sendCard(name, response) {
  const url = `http://127.0.0.1:${server.address().port}/${name}`;
  const card = {
    name,
    description: name,
    version: '1',
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: name in ENDLESS },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: name, name, description: name, tags: [name] }],
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(card));
}

const TEXT = [{ text: 'y'.repeat(64 * 1024) }];
const NOTES = { note: 'z'.repeat(8 * 1024) };

function chunk(of) {
  return { artifactUpdate: { ...of, artifact: { artifactId: 'a', parts: TEXT }, append: true } };
}

function said(of) {
  const message = { messageId: randomUUID(), role: 'ROLE_AGENT', parts: TEXT };
  return { statusUpdate: { ...of, status: { state: 'TASK_STATE_WORKING', message } } };
}

/** A message that is all metadata. */
function noted(of) {
  const message = { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text: 'x' }] };
  const status = { state: 'TASK_STATE_WORKING', message: { ...message, metadata: NOTES } };
  return { statusUpdate: { ...of, status } };
}

/** Metadata of the task, under another name each time. */
function named(of, n) {
  const status = { state: 'TASK_STATE_WORKING' };
  return { statusUpdate: { ...of, status, metadata: { [`note ${n}`]: NOTES.note } } };
}

/** An artifact that is all id. */
function identified(of, n) {
  const artifact = { artifactId: `${n % 1000} ${TEXT[0].text}`, parts: [{ text: 'x' }] };
  return { artifactUpdate: { ...of, artifact } };
}

/** What `more` gives, as fast as it is read. */
function endless(id, response, more) {
  let count = 0;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [taskId, contextId] = [randomUUID(), randomUUID()];
  const status = { state: 'TASK_STATE_WORKING' };
  const write = (result) => response.write(`data: ${answer(id, JSON.stringify(result))}\n\n`);
  write({ task: { id: taskId, contextId, status } });
  const goOn = () => {
    while (!response.destroyed) {
      if (!write(more({ taskId, contextId }, count++))) break;
    }
  };
  response.on('drain', goOn);
  goOn();
}

/** Posts to the hub; resolves with the status, or 0 when it broke. */
function post({ url, key }, body, length = Buffer.byteLength(body)) {
  return new Promise((resolve) => {
    const sent = request(`${url}/a2a`, {
      method: 'POST',
      agent: false,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': length,
        'a2a-version': '1.0',
      },
    });
    sent.on('error', () => resolve(0));
    sent.on('response', (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode))
        .on('error', () => resolve(0));
    });
    if (length > Buffer.byteLength(body)) sent.write(body);
    else sent.end(body);
  });
}

function send(agentId, data) {
  const metadata = `{"agentId":"${agentId}"}`;
  const part = data === undefined ? '{"text":"hello"}' : `{"data":${data}}`;
  const sent = `{"messageId":"${randomUUID()}","role":"ROLE_USER","parts":[${part}],"metadata":${metadata}}`;
  const configuration = '{"returnImmediately":true}';
  return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${sent},"configuration":${configuration}}}`;
}

/** Does it again and again, each so long after the last. */
async function forever(name, everyMs, work) {
  for (;;) {
    count(`${name} ${await work()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function count(what) {
  counts[what] = (counts[what] ?? 0) + 1;
}

async function attack({ url, visitor, greedy, heavy, fast, tasks }) {
  const by = (key) => ({ url, key });
  for (const name of ['flood', 'large', 'deep', 'endless']) {
    void forever(`visitor at ${name}:`, 1000, () => post(by(visitor), send(name)));
  }
  void forever('flood of small tasks:', 20, () => post(by(greedy), send(fast)));
  void forever('heavy body:', 100, () => post(by(heavy), send(fast, NUMBERS)));
  for (let open = 0; open < 20; open++) {
    void post(by(heavy), '{"jsonrpc":"2.0","params":['.padEnd(MIB), 10 * MIB).then(count);
  }
  for (let begun = 0; begun < tasks; begun++) {
    count(`silent agent: ${await post(by(greedy), send('silent'))}`);
  }
}

process.on('message', ({ attack: on }) => void attack(on));
process.on('disconnect', () => process.exit(0));
setInterval(() => process.connected && process.send({ counts }), 1000);
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
});
