// Measuring several targets in turn.
import { calibrate } from './calibration.mjs';
import { cpuMilliseconds, mainThreadMilliseconds } from './process-figures.mjs';
import { load } from './processes.mjs';

/** In flight while a target is warmed. */
const WARM_CONCURRENCY = 64;

/**
 * One figure per target, method, concurrency and round. Every target is warm before any is measured: it has had
 * `options.warm` requests of the first method and a quarter as many of the second, because code that ran seldom is
 * slow code to V8.
 */
export async function measureInTurn(targets, methods, options) {
  const figures = [];
  for (const target of targets) await warm(target, methods, options);
  for (let round = 1; round <= options.rounds; round++) {
    console.log(`Round ${round} of ${options.rounds} …`);
    calibrate();
    for (const concurrency of options.concurrency) {
      for (const method of methods) {
        const milliseconds = (method === 'SendMessage' ? 1000 : 500) * options.seconds;
        // Alternating, and each round begins with another one.
        for (let turn = 0; turn < targets.length; turn++) {
          const target = targets[(turn + round - 1) % targets.length];
          figures.push(await run(target, method, { concurrency, milliseconds }));
        }
      }
    }
  }
  return figures;
}

/** Sends `options.warm` of the first method, and a quarter as many of each other. */
export async function warm(target, methods, { warm: requests }) {
  for (const [index, method] of methods.entries()) {
    const count = index === 0 ? requests : Math.ceil(requests / 4);
    console.log(`Warming up ${target.name} (${target.agent}): ${count} ${method} …`);
    const job = { concurrency: WARM_CONCURRENCY, milliseconds: 600_000, requests: count };
    await run(target, method, job);
  }
}

/** Streams that begin so many a second, at each target in turn. */
export async function measurePaced(targets, perSecond, options) {
  const figures = [];
  for (let round = 1; round <= options.rounds; round++) {
    console.log(`Paced, round ${round} of ${options.rounds} …`);
    for (const target of targets) {
      const job = { concurrency: 1, perSecond, milliseconds: 1000 * options.seconds };
      figures.push(await run(target, 'SendStreamingMessage', job));
    }
  }
  return figures;
}

/** The load of one job on one target; throws when a request fails. */
export async function run(target, method, job) {
  const { name, agent, pid, url, headers, metadata = { agentId: agent } } = target;
  const before = [cpuMilliseconds(pid), mainThreadMilliseconds(pid)];
  const parts = [{ text: 'What is the answer?' }];
  const params = { message: { role: 'ROLE_USER', parts, metadata } };
  const result = await load({ url, headers, method, params, ...job });
  if (result.failed > 0) {
    throw new Error(`${name} (${agent}): ${result.failed} failed: ${result.firstFailure}`);
  }
  const { requests, seconds, p50, p99 } = result;
  return {
    ...{ name, agent, method, p50, p99 },
    concurrency: job.concurrency,
    perSecond: requests / seconds,
    cpu: (cpuMilliseconds(pid) - before[0]) / requests,
    mainCpu: (mainThreadMilliseconds(pid) - before[1]) / requests,
  };
}
