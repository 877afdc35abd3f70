// The load generator: a process of its own. It keeps `concurrency` requests in flight on as many
// keep-alive connections for `milliseconds` (and no more than `requests` of them), and prints one line of JSON.
// With `perSecond` it begins so many a second instead, evenly and whatever is still in flight.
//   node bench/load.mjs '{"url": …, "headers": …, "method": "SendMessage", "params": …}'
// `headers` may be a list: requests take turns with them. `params` is sent with a fresh messageId each time. For a stream the latency is that of the first event.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const job = JSON.parse(process.argv[2]);
const { origin, pathname } = new URL(job.url);
const pool = new Pool(origin, {
  connections: job.perSecond ? 512 : job.concurrency,
  pipelining: 1,
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
});
const callers = [job.headers].flat().map((headers) => ({
  'content-type': 'application/json',
  'a2a-version': '1.0',
  ...headers,
}));
let sent = 0;
const streaming = job.method === 'SendStreamingMessage';
const EXPECTED = 'TASK_STATE_COMPLETED';

const latencies = [];
let failed = 0;
let left = job.requests ?? Infinity;
let firstFailure;

const begun = performance.now();
const end = begun + job.milliseconds;
await (job.perSecond ? paced() : Promise.all(Array.from({ length: job.concurrency }, worker)));
const seconds = (performance.now() - begun) / 1000;
latencies.sort((a, b) => a - b);
const at = (share) =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(
  JSON.stringify({
    requests: latencies.length,
    failed,
    firstFailure,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
  }),
);
await pool.close();

async function worker() {
  while (performance.now() < end && left-- > 0) await one();
}

/** A timer that is late begins what it has missed at once, so that the rate holds. */
async function paced() {
  const under = [];
  for (let begunOnes = 0; performance.now() < end;) {
    const due = ((performance.now() - begun) / 1000) * job.perSecond;
    while (begunOnes < due) {
      under.push(one());
      begunOnes += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
}

async function one() {
  const start = performance.now();
  try {
    const first = await exchange();
    latencies.push((streaming ? first : performance.now()) - start);
  } catch (error) {
    failed++;
    firstFailure ??= error.message;
  }
}

/** One request; resolves with the time of the first bytes of its body. */
async function exchange() {
  const { message, ...others } = job.params;
  const { statusCode, body } = await pool.request({
    path: pathname,
    method: 'POST',
    headers: callers[sent++ % callers.length],
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: job.method,
      params: { ...others, message: { ...message, messageId: randomUUID() } },
    }),
  });
  let first;
  let text = '';
  for await (const chunk of body) {
    first ??= performance.now();
    text += chunk;
  }
  if (statusCode !== 200 || !text.includes(EXPECTED)) {
    throw new Error(`HTTP ${statusCode} ${text.slice(0, 300)}`);
  }
  return first;
}
