// A process of its own, so that what it costs is not the clients' time: agents that answer badly, a tenant
// that takes all it can, and a client that sends what is heavy to read. Its parent sends {"attack": {...}}
// and ends it; it sends {"url"} once its agents listen, and {"counts"} each second.
import { randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { SendMessageResponse, StreamResponse } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials, status as codes } from '@grpc/grpc-js';

// Elsewhere they would have cores of their own: what they take of the hub's by being here is not what is measured.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

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
  polled: (id) => answer(id, `{"task":${polledTask(randomUUID())}}`),
};

/** What an agent streams again and again; it takes a cancel, by ending nothing. */
const CANCELABLE = {
  chatty: said,
  noting: noted,
  naming: named,
  wordy: identified,
};
/** The first ones also answer a cancel so. */
const ENDLESS = { endless: chunk, old: oldChunk, comments, blank, ...CANCELABLE };
/** What is no event, line by line, between two events. */
const COMMENTS = ':\n'.repeat(32 * 1024);
/** Events without a word. */
const BLANK = 'data:\n\n'.repeat(8 * 1024);
/** An answer that never ends, in chunks of a byte each. */
const TINY = '1\r\n \r\n'.repeat(8 * 1024);
const TINY_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

function message(part) {
  return `{"messageId":"a","role":"ROLE_AGENT","parts":[${part}]}`;
}

/** Another large artifact each time that it is read. */
function polledTask(id) {
  const artifact = `{"artifactId":"a","parts":[{"text":"${counts['asked polled']}"},{"text":${LARGE}}]}`;
  return `{"id":"${id}","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"artifacts":[${artifact}]}`;
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
    const { id = null, method, params } = JSON.parse(body);
    if (name === 'polled' && method === 'GetTask') {
      return void sendJson(response, answer(id, polledTask(params.id)));
    }
    if (name === 'asking') return asking(id, response);
    if (name === 'tiny') return tiny(response.socket);
    if (name in CANCELABLE && method === 'CancelTask') {
      return void sendJson(response, refused(id));
    }
    if (name in ENDLESS) return endless(id, name, response);
    const text = AGENTS[name]?.(id);
    if (text !== undefined) sendJson(response, text);
  });
});

function sendJson(response, text) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

const STREAMING = [...Object.keys(ENDLESS), 'asking', 'grpc'];

function sendCard(name, response) {
  const card = {
    name,
    description: name,
    version: '1',
    ...interfacesOf(name),
    capabilities: { streaming: STREAMING.includes(name) },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: name, name, description: name, tags: [name] }],
  };
  sendJson(response, JSON.stringify(card));
}

function interfacesOf(name) {
  const url = `http://127.0.0.1:${server.address().port}/${name}`;
  if (name === 'old') return { protocolVersion: '0.3.0', url, preferredTransport: 'JSONRPC' };
  const one = name.startsWith('grpc')
    ? { url: `127.0.0.1:${grpcPort}`, protocolBinding: 'GRPC' }
    : { url, protocolBinding: 'JSONRPC' };
  return { supportedInterfaces: [{ ...one, protocolVersion: '1.0' }] };
}

const TEXT = [{ text: 'y'.repeat(64 * 1024) }];
const NOTES = { note: 'z'.repeat(8 * 1024) };

function chunk(of) {
  return { artifactUpdate: { ...of, artifact: { artifactId: 'a', parts: TEXT }, append: true } };
}

/** {@link chunk} of version 0.3. */
function oldChunk(of) {
  const artifact = { artifactId: 'a', parts: [{ kind: 'text', ...TEXT[0] }] };
  return { kind: 'artifact-update', ...of, artifact, append: true };
}

/** Lines without an event; each hundredth time there is one. */
function comments(of, n) {
  return n % 100 === 99 ? chunk(of) : COMMENTS;
}

function blank(of, n) {
  return n % 100 === 99 ? chunk(of) : BLANK;
}

function tiny(socket) {
  const goOn = () => {
    while (!socket.destroyed && socket.write(TINY));
  };
  socket.on('drain', goOn).write(TINY_HEAD);
  goOn();
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

/** What `more` gives, an event or other lines, as fast as it is read. */
function endless(id, name, response) {
  const more = ENDLESS[name];
  let n = 0;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const of = { taskId: randomUUID(), contextId: randomUUID() };
  const write = (next) =>
    response.write(
      typeof next === 'string' ? next : `data: ${answer(id, JSON.stringify(next))}\n\n`,
    );
  write(name === 'old' ? oldTask(of) : { task: begun(of) });
  const goOn = () => {
    while (!response.destroyed) {
      if (!write(more(of, n++))) break;
    }
  };
  response.on('drain', () => {
    count(`streamed ${name}`);
    goOn();
  });
  goOn();
}

function begun({ taskId, contextId }, state = 'TASK_STATE_WORKING') {
  return { id: taskId, contextId, status: { state } };
}

function oldTask(of) {
  return { kind: 'task', ...begun(of, 'working') };
}

/** Asks its client, and leaves its stream open. */
function asking(id, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const of = { taskId: randomUUID(), contextId: randomUUID() };
  const task = begun(of, 'TASK_STATE_INPUT_REQUIRED');
  response.write(`data: ${answer(id, JSON.stringify({ task }))}\n\n`);
}

/** The agents over gRPC: `grpc` streams without end, `grpc-large` answers much at once. */
const GRPC = {
  sendMessage: (_call, answered) => {
    count('asked grpc-large');
    const parts = [{ text: 'x'.repeat(SIZE) }];
    answered(
      null,
      SendMessageResponse.fromJSON({ message: { messageId: 'a', role: 'ROLE_AGENT', parts } }),
    );
  },
  sendStreamingMessage: (call) => {
    count('asked grpc');
    const of = { taskId: randomUUID(), contextId: randomUUID() };
    const write = (event) => call.write(StreamResponse.fromJSON(event));
    write({ task: begun(of) });
    const goOn = () => {
      while (!call.cancelled && !call.destroyed && write(chunk(of)));
    };
    call.on('drain', () => {
      count('streamed grpc');
      goOn();
    });
    goOn();
  },
  getTask: (_call, answered) => answered({ code: codes.NOT_FOUND }),
  cancelTask: (_call, answered) => answered({ code: codes.FAILED_PRECONDITION }),
};
let grpcPort;

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

async function attack({ url, visitor, greedy, heavy, fast, agents, tasks }) {
  const by = (key) => ({ url, key });
  for (const name of agents) {
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
const grpcServer = new Server({ 'grpc.max_send_message_length': -1 });
grpcServer.addService(A2AService, GRPC);
grpcServer.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  grpcPort = port;
  server.listen(0, '127.0.0.1', () => {
    process.send({ url: `http://127.0.0.1:${server.address().port}` });
  });
});
