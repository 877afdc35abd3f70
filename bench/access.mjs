// What sign-in and policies cost a send: callers with access tokens (JWT) at a hub with policies, beside callers with
// keys at a hub without. Both hubs have the same agent; pairs of short runs alternate.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calibrate } from './calibration.mjs';
import { admin, newKey, startHub } from './hub.mjs';
import { startIssuer } from './issuer.mjs';
import { group } from './processes.mjs';
import { run, warm } from './rounds.mjs';
import { median, print, table } from './tables.mjs';

const PAIRS = 20;
const POLICIES = 100;
/** Callers, each with a credential of its own; requests take turns with them. */
const CALLERS = 50;
const AUDIENCE = 'https://hub.bench.example';
const METHOD = 'SendMessage';
const CONCURRENCY = 64;

export async function benchAccess(directory, options) {
  const servers = group();
  const issuer = await startIssuer();
  try {
    const agent = await servers.startNode(['bench/agents/light-agent.mjs']);
    const hub = async (name, environment) => {
      const start = (...all) => servers.startNode(...all);
      const { url, pid } = await startHub(
        ...[start, directory, `access-${name}.db`, options.synchronous, environment],
      );
      await admin(url, '/api/v1/agents', { id: 'light', cardUrl: agent.url });
      return { name, agent: 'light', pid, url: `${url}/a2a`, origin: url };
    };
    const file = join(directory, 'access.json');
    writeFileSync(file, JSON.stringify(configuration(issuer.url)));
    const keys = await hub('keys');
    const tokens = await hub('tokens', { A2A_HUB_CONFIG: file });
    keys.headers = await all(() => newKey(keys.origin));
    tokens.headers = await all(async (caller) => ({
      authorization: `Bearer ${await issuer.token(AUDIENCE, claimsOf(caller))}`,
    }));
    printAccess(await measurePairs([keys, tokens], options));
  } finally {
    await servers.stop();
    await issuer.stop();
  }
}

function all(credentialOf) {
  return Promise.all(Array.from({ length: CALLERS }, (_, caller) => credentialOf(caller)));
}

/** A caller of ten of the groups that policies name, and of ten others. */
function claimsOf(caller) {
  const groups = Array.from({ length: 10 }, (_, at) => `team-${(caller + 3 * at) % 40}`);
  const others = Array.from({ length: 10 }, (_, at) => `list-${caller}-${at}`);
  return { sub: `user-${caller}`, scope: 'openid', groups: [...groups, ...others] };
}

/** Nobody may ask an agent unless a policy permits it; one in five policies forbids something. */
function configuration(issuer) {
  const declared = Array.from({ length: POLICIES }, (_, at) => ({ id: `p${at}`, text: text(at) }));
  return {
    publicUrl: AUDIENCE,
    auth: { issuers: [{ id: 'bench', issuer, organization: 'bench' }] },
    policies: { default: 'deny', declared },
  };
}

function text(at) {
  const who = `principal in Group::"team-${at % 40}"`;
  if (at % 5 === 4) {
    return `forbid(${who}, action == Action::"SendMessage", resource in Tag::"secret-${at}");`;
  }
  return `permit(${who}, action, resource) when { principal.signIn == "token" };`;
}

/** The CPU of a send at both, so often as there are pairs; every other pair begins with the second. */
async function measurePairs(targets, options) {
  for (const target of targets) await warm(target, [METHOD], options);
  const pairs = [];
  const count = options.quick ? 2 : PAIRS;
  for (let at = 0; at < count; at++) {
    console.log(`Pair ${at + 1} of ${count} …`);
    calibrate();
    const pair = {};
    for (const target of at % 2 === 0 ? targets : targets.toReversed()) {
      const job = { concurrency: CONCURRENCY, milliseconds: 1000 * options.seconds };
      pair[target.name] = await run(target, METHOD, job);
    }
    pairs.push(pair);
  }
  return pairs;
}

function printAccess(pairs) {
  const figure = (name, of) => median(pairs.map((pair) => pair[name][of]));
  print(`\nA send with a token at a hub with ${POLICIES} policies, to one with a key and none`);
  table(
    ['', 'keys', 'tokens', 'times: median of pairs', 'interval (95 %)'],
    [
      ['CPU, ms a send', 'cpu'],
      ['of the main thread', 'mainCpu'],
      ['sends a second', 'perSecond'],
    ].map(([what, of]) => {
      const times = pairs.map(({ keys, tokens }) => tokens[of] / keys[of]);
      return [
        what,
        figure('keys', of).toFixed(3),
        figure('tokens', of).toFixed(3),
        median(times).toFixed(3),
        interval(times),
      ];
    }),
  );
}

/** In which the median of all such pairs lies, from the ranks of these ones (binomial, at least 95 %). */
function interval(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  let outside = 0;
  let rank = 0;
  let chance = 2 ** -length;
  while (outside + 2 * chance <= 0.05) {
    outside += 2 * chance;
    chance *= (length - rank) / (rank + 1);
    rank += 1;
  }
  if (rank === 0) return 'too few pairs';
  return `${sorted[rank - 1].toFixed(3)} to ${sorted[length - rank].toFixed(3)}`;
}
