// What so many open consoles ask a hub for, without browsers, which would take the processor from the hub: the calls that each
// page makes while it is open and its lists are short (as seen in a browser), evenly spread, over sockets and not by a client of
// HTTP, which would take it as well.
//   node bench/targets/consoles.mjs '{"hub": URL, "key": KEY, "count": 100, "pages": ["overview"]}'
// `pages` are taken by turns; `task` is the id of the one that the page of a task shows. It listens so that it is known when all are open.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';

const LIST = 'limit=200';
const PAGES = {
  overview: {
    follows: '/api/v1/agents/events',
    reads: [
      ['/api/v1/overview', 5_000],
      ['/health/details', 15_000],
    ],
  },
  tasks: {
    reads: [
      ['/api/v1/tasks?limit=50', 5_000],
      ['/api/v1/tasks:count', 15_000],
      [`/api/v1/organizations?${LIST}`, 30_000],
    ],
  },
  task: {
    follows: '/api/v1/tasks/{task}/events?after=0',
    reads: [
      ['/api/v1/tasks/{task}', 10_000],
      ['/api/v1/tasks/{task}/explain', 10_000],
      ['/api/v1/push/configs?taskId={task}&limit=10', 10_000],
    ],
  },
  agents: { follows: '/api/v1/agents/events', reads: [[`/api/v1/agents?${LIST}`, 5_000]] },
  webhooks: {
    follows: '/api/v1/push/events',
    reads: [
      [`/api/v1/push/endpoints?${LIST}`, 5_000],
      // The numbers above the list.
      [`/api/v1/push/endpoints?${LIST}`, 10_000],
      ['/api/v1/push/dead-letters:count', 10_000],
      ['/api/v1/push/dead-letters:by-receiver?most=10000', 30_000],
      [`/api/v1/organizations?${LIST}`, 30_000],
    ],
  },
};
const HEAD_END = Buffer.from('\r\n\r\n');
/** So many times as long a page waits before it reads again in the minute after the hub has said that it is busy: it does so under the load. */
const BUSY_TIMES = 2;

const { hub, key, count, pages, task } = JSON.parse(process.argv[2]);
const { hostname, port } = new URL(hub);

async function open({ follows, reads }, at) {
  if (follows) await follow(follows);
  const reader = await Connection.open();
  for (const [path, every] of reads) {
    const request = requestOf(path, 'application/json');
    const wait = BUSY_TIMES * every;
    const read = () => reader.ask(request, path, () => setTimeout(read, wait));
    setTimeout(read, (wait * at) / count);
  }
}

async function follow(path) {
  const socket = await dial();
  socket.write(requestOf(path, 'text/event-stream'));
  const [head] = await once(socket, 'data');
  checkStatus(head, path);
  socket.resume().on('end', () => {
    throw new Error(`${path} ended`);
  });
}

/** One connection, on which the requests of a console follow one another. */
class Connection {
  static async open() {
    return new Connection(await dial());
  }

  constructor(socket) {
    this.socket = socket;
    this.waiting = [];
    this.got = Buffer.alloc(0);
    socket.on('data', (bytes) => this.take(bytes));
    socket.on('end', () => {
      throw new Error('the hub has ended a connection');
    });
  }

  ask(request, path, done) {
    this.waiting.push({ request, path, done });
    if (this.waiting.length === 1) this.socket.write(request);
  }

  take(bytes) {
    this.got = this.got.length === 0 ? bytes : Buffer.concat([this.got, bytes]);
    const end = this.got.indexOf(HEAD_END);
    if (end === -1) return;
    const { path, done } = this.waiting[0];
    checkStatus(this.got, path);
    const length = /^content-length: (\d+)\r$/im.exec(this.got.toString('latin1', 0, end + 2))?.[1];
    if (length === undefined) throw new Error(`${path}: no Content-Length`);
    if (this.got.length < end + HEAD_END.length + Number(length)) return;
    this.got = Buffer.alloc(0);
    this.waiting.shift();
    if (this.waiting.length > 0) this.socket.write(this.waiting[0].request);
    done();
  }
}

async function dial() {
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

function requestOf(path, accept) {
  return [
    `GET ${path.replace('{task}', task)} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${key}`,
    `Accept: ${accept}`,
    'Accept-Encoding: gzip, deflate, br',
    // As the console says of how old an answer may be.
    ...(accept === 'application/json' ? ['Cache-Control: max-age=2'] : []),
    '\r\n',
  ].join('\r\n');
}

function checkStatus(head, path) {
  const status = head.toString('latin1', 9, 12);
  if (status !== '200') throw new Error(`${path}: HTTP ${status}`);
}

await Promise.all(
  Array.from({ length: count }, (_, at) => open(PAGES[pages[at % pages.length]], at)),
);
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
