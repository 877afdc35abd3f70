// What traces cost a send: a hub that records one in ten, and one that records all, beside one without.
import { admin, newKey, startHub } from './hub.mjs';
import { measurePairs, printPairs } from './pairs.mjs';
import { group } from './processes.mjs';
import { print } from './tables.mjs';

const SHARES = { off: null, tenth: '0.1', all: '1' };
const SENT = /^a2a_hub_trace_spans_(sent_total|dropped_total\{.*\}) (\d+)$/gm;

export async function benchTraces(directory, options) {
  const servers = group();
  try {
    const start = (...all) => servers.startNode(...all);
    const agent = await start(['bench/agents/light-agent.mjs']);
    const collector = await start(['bench/targets/collector.mjs']);
    const targets = [];
    for (const [name, share] of Object.entries(SHARES)) {
      const environment = share && {
        A2A_HUB__TELEMETRY__TRACES__ENDPOINT: `${collector.url}/v1/traces`,
        A2A_HUB__TELEMETRY__TRACES__SAMPLE: share,
        A2A_HUB__TELEMETRY__TRACES__MAX_QUEUE: '50000',
      };
      const { url, pid } = await startHub(
        ...[start, directory, `traces-${name}.db`, options.synchronous, environment ?? {}],
      );
      await admin(url, '/api/v1/agents', { id: 'light', cardUrl: agent.url });
      const headers = await newKey(url);
      targets.push({ name, agent: 'light', pid, url: `${url}/a2a`, origin: url, headers });
    }
    const pairs = await measurePairs(targets, options);
    print('\nA send at a hub that records one trace in ten, to one without traces');
    printPairs(pairs, 'off', 'tenth');
    print('\nA send at a hub that records all traces, to one without');
    printPairs(pairs, 'off', 'all');
    for (const { name, origin } of targets) print(`Spans of ${name}: ${await spansOf(origin)}`);
  } finally {
    await servers.stop();
  }
}

async function spansOf(origin) {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return [...text.matchAll(SENT)].map(([, what, count]) => `${what} ${count}`).join(', ') || 'none';
}
