// First pages of ListTasks, one after another; a process of its own.
//   node bench/list-loop.mjs '{"url": …, "headers": {…}, "requests": 50}'
import { Pool } from 'undici';
import { percentile } from './tables.mjs';

const { url, headers, requests } = JSON.parse(process.argv[2]);
const { origin, pathname: path } = new URL(url);
const pool = new Pool(origin, { connections: 1 });
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'ListTasks',
  params: { pageSize: 10 },
});
/** Before any is counted: code that ran seldom is slow code to V8. */
const WARM = 200;

const latencies = [];
let totalSize;
for (let turn = -WARM; turn < requests; turn++) {
  const begun = performance.now();
  const answer = await pool.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body,
  });
  const { result, error } = await answer.body.json();
  if (error) throw new Error(error.message);
  if (turn >= 0) latencies.push(performance.now() - begun);
  totalSize = result.totalSize;
}
latencies.sort((a, b) => a - b);
const [p50, p99] = [0.5, 0.99].map((share) => percentile(latencies, share));
console.log(JSON.stringify({ p50, p99, totalSize }));
await pool.close();
