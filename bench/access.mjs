// What sign-in and policies cost a send: callers with access tokens (JWT) at a hub with policies, beside callers with
// keys at a hub without. Both hubs have the same agent; pairs of short runs alternate.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { admin, newKey, startHub } from './hub.mjs';
import { startIssuer } from './issuer.mjs';
import { measurePairs, printPairs } from './pairs.mjs';
import { group } from './processes.mjs';
import { print } from './tables.mjs';

const POLICIES = 100;
/** Callers, each with a credential of its own; requests take turns with them. */
const CALLERS = 50;
const AUDIENCE = 'https://hub.bench.example';

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

function printAccess(pairs) {
  print(`\nA send with a token at a hub with ${POLICIES} policies, to one with a key and none`);
  printPairs(pairs, 'keys', 'tokens');
}
