// So many streams at once, each on a connection of its own, once; a process of its own.
//   node bench/stream-load.mjs '{"url": …, "headers": […], "streams": 500}'
// `headers` are those of the callers, who take turns. Prints one line of JSON: how the streams ended, their events,
// how long all took and when their first event was there.
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const job = JSON.parse(process.argv[2]);
const { origin, pathname: path } = new URL(job.url);
const pool = new Pool(origin, { connections: job.streams, headersTimeout: 0, bodyTimeout: 0 });
const outcomes = {};
const firsts = [];
let events = 0;

const begun = performance.now();
await Promise.all(Array.from({ length: job.streams }, (_, turn) => stream(turn)));
const seconds = (performance.now() - begun) / 1000;
firsts.sort((a, b) => a - b);
const at = (share) => firsts[Math.floor((firsts.length - 1) * share)];
console.log(JSON.stringify({ seconds, outcomes, events, firstP50: at(0.5), firstMost: at(1) }));
await pool.close();

async function stream(turn) {
  const outcome = await exchange(turn).catch((error) => error.code ?? error.message);
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

/** The state in which the task ended, or what came instead. */
async function exchange(turn) {
  const { statusCode, body } = await pool.request({
    path,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...job.headers[turn % job.headers.length],
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'go' }] } },
    }),
  });
  let text = '';
  let isFirst = true;
  for await (const chunk of body) {
    if (isFirst) firsts.push(performance.now() - begun);
    isFirst = false;
    const lines = String(chunk);
    for (let from = lines.indexOf('data: '); from >= 0; from = lines.indexOf('data: ', from + 6)) {
      events += 1;
    }
    text = (text + lines).slice(-2000);
  }
  if (statusCode !== 200) return `HTTP ${statusCode}`;
  return /TASK_STATE_(COMPLETED|FAILED|REJECTED)/.exec(text)?.[0] ?? text.slice(0, 200);
}
