// A receiver of webhooks that answers at once, on every address of 127.0.0.0/8, so that it is as many
// receivers as one likes; on a second port it takes every request and never answers.
//   node bench/targets/receiver.mjs
// GET /figures tells what has come since the last DELETE /figures, and where requests are left hanging.
import { createServer } from 'node:http';

/** Status updates that end a task of the bench. */
const END = 'TASK_STATE_COMPLETED';
/** The first event of a task: the hub's own, with its own time. */
const BEGINNING = /^\{"task":.*?"timestamp":"([^"]+)"/;

let figures = none();
const hanging = createServer(() => undefined);
await new Promise((resolve) => hanging.listen(0, resolve));

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  if (request.method === 'GET') {
    return response.end(JSON.stringify({ ...figures, hangingPort: hanging.address().port }));
  }
  if (request.method === 'DELETE') {
    figures = none();
    return response.end();
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    note(at, request.headers['x-sent-at'], Buffer.concat(chunks).toString());
    response.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, () => console.log(`listening on http://127.0.0.1:${server.address().port}`));

function note(at, sentAt, body) {
  figures.requests += 1;
  figures.bytes += body.length;
  figures.firstAt ??= at;
  figures.lastAt = at;
  const began = sentAt === undefined ? BEGINNING.exec(body)?.[1] : undefined;
  if (sentAt !== undefined) figures.latencies.push(at - Number(sentAt));
  else if (began !== undefined) figures.latencies.push(at - Date.parse(began));
  else if (body.includes(END)) figures.ended += 1;
}

function none() {
  return { requests: 0, bytes: 0, ended: 0, firstAt: null, lastAt: null, latencies: [] };
}
