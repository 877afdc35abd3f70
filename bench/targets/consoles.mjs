// What so many open consoles ask a hub for, without browsers, which would take the processor from the hub: the calls that each
// page makes while it is open and its lists are short (as seen in a browser), evenly spread.
//   node bench/targets/consoles.mjs '{"hub": URL, "key": KEY, "count": 100, "pages": ["overview"]}'
// `pages` are taken by turns; `task` is the id of the one that the page of a task shows. It listens so that it is known when all are open.
import { createServer } from 'node:http';
import { Agent } from 'undici';

const EVERY_MS = 5_000;
const LIST = 'limit=200';
const PAGES = {
  overview: {
    follows: '/api/v1/agents/events',
    reads: [
      ['/api/v1/overview', EVERY_MS],
      ['/health/details', 15_000],
    ],
  },
  tasks: { reads: [['/api/v1/tasks?limit=50', EVERY_MS]] },
  task: {
    follows: '/api/v1/tasks/{task}/events?after=0',
    reads: [
      ['/api/v1/tasks/{task}', 10_000],
      ['/api/v1/tasks/{task}/explain', EVERY_MS],
      ['/api/v1/push/configs?taskId={task}&limit=10', EVERY_MS],
    ],
  },
  agents: { follows: '/api/v1/agents/events', reads: [[`/api/v1/agents?${LIST}`, EVERY_MS]] },
  webhooks: {
    follows: '/api/v1/push/events',
    reads: [
      [`/api/v1/push/endpoints?${LIST}`, EVERY_MS],
      [`/api/v1/push/endpoints?${LIST}&state=healthy`, 10_000],
      [`/api/v1/push/endpoints?${LIST}&state=failing`, 10_000],
      [`/api/v1/push/endpoints?${LIST}&state=disabled`, 10_000],
      ['/api/v1/push/dead-letters:count', 15_000],
      [`/api/v1/push/dead-letters?${LIST}`, 30_000],
    ],
  },
};

const { hub, key, count, pages, task } = JSON.parse(process.argv[2]);
const browsers = new Agent({ connections: 2 * count, pipelining: 1, bodyTimeout: 0 });
let open = 0;
for (let at = 0; at < count; at++) {
  const { follows, reads } = PAGES[pages[at % pages.length]];
  if (follows) void follow(follows);
  else open += 1;
  for (const [path, every] of reads) repeat(path, every, (every * at) / count);
}
while (open < count) await new Promise((done) => setTimeout(done, 10));
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

function ask(path, accept) {
  const { pathname, search } = new URL(path.replace('{task}', task), hub);
  return browsers.request({
    origin: hub,
    path: pathname + search,
    method: 'GET',
    headers: { authorization: `Bearer ${key}`, accept, 'accept-encoding': 'gzip, deflate, br' },
  });
}

async function follow(path) {
  const { statusCode, body } = await ask(path, 'text/event-stream');
  if (statusCode !== 200) throw new Error(`${path}: HTTP ${statusCode}`);
  open += 1;
  body.resume().on('end', () => {
    throw new Error(`${path} ended`);
  });
}

function repeat(path, every, wait) {
  const read = async () => {
    const { statusCode, body } = await ask(path, 'application/json');
    await body.dump({ limit: 10_000_000 });
    if (statusCode !== 200) throw new Error(`${path}: HTTP ${statusCode}`);
  };
  setTimeout(() => {
    void read();
    setInterval(() => void read(), every);
  }, wait);
}
