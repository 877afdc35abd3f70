// What deliveries are compared with: a bare undici loop that posts the same bytes again and again. It
// keeps `concurrency` requests in flight, spread over the `urls`, for `milliseconds`; with `everyMs`
// instead it sends one at a time, so far apart.
//   node bench/post-loop.mjs '{"urls": […], "bytes": 500, "concurrency": 10, "milliseconds": 1000}'
// Prints one line of JSON: requests per second. When each was sent stands in its header x-sent-at.
import { Pool } from 'undici';

const job = JSON.parse(process.argv[2]);
const body = 'x'.repeat(job.bytes);
const each = Math.ceil(job.concurrency / job.urls.length);
const targets = job.urls.map((url) => {
  const { origin, pathname: path } = new URL(url);
  return { path, pool: new Pool(origin, { connections: each, pipelining: 1 }) };
});

let requests = 0;
const begun = performance.now();
const end = begun + job.milliseconds;
await Promise.all(Array.from({ length: job.concurrency }, (_, turn) => worker(targets, turn)));
const seconds = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ perSecond: requests / seconds }));
await Promise.all(targets.map(({ pool }) => pool.close()));

async function worker(all, turn) {
  const { pool, path } = all[turn % all.length];
  while (performance.now() < end) {
    const answer = await pool.request({
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/a2a+json',
        'x-sent-at': String(performance.timeOrigin + performance.now()),
      },
      body,
    });
    await answer.body.dump();
    requests += 1;
    if (job.everyMs) await new Promise((resolve) => setTimeout(resolve, job.everyMs));
  }
}
