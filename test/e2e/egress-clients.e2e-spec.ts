import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../src/agents/agent.js';
import { Metrics } from '../../src/observability/metrics.js';
import { AccessTokens } from '../../src/auth/index.js';
import { CardReader } from '../../src/agents/card/card-reader.js';
import { KeySets } from '../../src/common/jwks/key-sets.js';
import { EndpointMemory } from '../../src/agents/client/endpoint-memory.js';
import { SdkAgentClient } from '../../src/agents/client/sdk-agent.client.js';
import { SystemClock } from '../../src/common/clock.js';
import { Egress } from '../../src/common/egress/egress.js';
import type { Log } from '../../src/common/logger.js';
import { configWith, type DeclaredEntry, type PublicUrl } from '../../src/config/index.js';
import type { AuthProfile } from '../../src/push/auth/auth-profile.js';
import { OauthTokens } from '../../src/push/auth/oauth-tokens.js';
import { WebhookEgress } from '../../src/common/egress/webhook-egress.js';
import { HttpWebhookSender } from '../../src/push/sending/http-webhook.sender.js';
import { ExternalRouter } from '../../src/routing/external-router.js';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, RpcError, startHub } from '../support/app.js';
import {
  anAgent,
  NO_CALLERS,
  NO_DEVIATIONS,
  NO_PROOFS,
  NO_REGISTRY,
  NO_REFERENCES,
} from '../support/an-agent.js';
import { endpoint, hello, options } from '../support/agent-calls.js';
import { sendInTime } from '../support/send-in-time.js';
import { NoTracing } from '../../src/common/tracing/tracing.js';

const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;

/**
 * Everything of the hub that connects to somebody: how it is made to, given an `https` address. That
 * there is no other way out than the egress they all share, `test/ways-out.spec.ts` shows.
 */
const CLIENTS: Record<string, (egress: Egress, url: string) => Promise<unknown>> = {
  'the reader of cards': (egress, url) => new CardReader(egress, NO_REFERENCES).find(url, {}),
  'the reader of key sets': (egress, url) =>
    new KeySets(egress, new SystemClock()).find(url, (keys) => [...keys]),
  "the caller of the operator's router": async (egress, url) => {
    const config = configWith({ routing: { external: { url, token: 'token' } } });
    const nothing = (): void => undefined;
    // Clients are told a fixed sentence; why is in the log.
    let why: unknown;
    const warn = (fields: object): void => void (why = 'err' in fields ? fields.err : undefined);
    const log: Log = { debug: nothing, info: nothing, warn, error: nothing };
    const message = { text: '', parts: [] };
    const router = new ExternalRouter(config, egress, new SystemClock(), log);
    await router.order({ organization: 'o', message, candidates: [] });
    throw why;
  },
  'the sender of webhooks': async (egress, url) => {
    const limits = { connectTimeoutMs: 1000, timeoutMs: 1000, responseBytes: 100 };
    const request = { url, organization: 'acme', headers: {}, body: '{}', secrets: [] };
    const sender = new HttpWebhookSender(new WebhookEgress(egress), new SystemClock(), limits);
    const answer = await sendInTime(sender, request, limits);
    throw new Error(`no answer: ${answer.detail}`);
  },
  'the caller of token servers': (egress, url) => {
    const tokens = new OauthTokens(egress, new SystemClock(), { timeoutMs: 1000 });
    return tokens.get(profileAt(url), 'secret');
  },
  'the reader of what issuers publish': async (egress, url) => {
    const { hostname, port } = new URL(url);
    const issuer = { id: 'i', issuer: `https://${hostname}:${port}`, organization: 'acme' };
    const verifier = await accessTokens(egress, { ...issuer, jwksUrl: url });
    return verifier.verify(unsignedToken(issuer.issuer), 'hash');
  },
  'the caller that asks issuers about tokens': async (egress, url) => {
    const introspection = { clientId: 'hub', clientSecret: 'secret', url };
    const issuer = { id: 'i', issuer: 'https://login.example', organization: 'acme' };
    const verifier = await accessTokens(egress, { ...issuer, introspection });
    return verifier.verify('opaque', 'hash');
  },
  ...Object.fromEntries(
    (['JSONRPC', 'HTTP+JSON', 'GRPC'] as const).flatMap((binding) =>
      (['1.0', '0.3'] as const).map((version) => [
        `the caller of agents over ${binding} ${version}`,
        (egress: Egress, url: string) => {
          const place = binding === 'GRPC' ? new URL(url).host : url;
          return call(egress, { endpoint: endpoint(place, version, binding) });
        },
      ]),
    ),
  ),
};

async function accessTokens(egress: Egress, issuer: DeclaredEntry): Promise<AccessTokens> {
  const config = configWith({ auth: { issuers: [issuer] } });
  const log = { warn: () => undefined } as unknown as Log;
  const publicUrl = { base: 'https://hub.example' } as PublicUrl;
  const verifier = new AccessTokens(
    config,
    publicUrl,
    egress,
    new SystemClock(),
    log,
    NO_REFERENCES,
    new Metrics(),
  );
  await verifier.onModuleInit();
  return verifier;
}

function unsignedToken(iss: string): string {
  const parts = [{ alg: 'RS256', kid: 'k' }, { iss }].map((part) => JSON.stringify(part));
  return [...parts.map((part) => Buffer.from(part).toString('base64url')), 'AA'].join('.');
}

function profileAt(tokenUrl: string): AuthProfile {
  const now = new Date();
  return {
    id: 'p',
    organization: null,
    name: 'tokens',
    scheme: 'oauth2',
    urls: [],
    automatic: false,
    parameters: { tokenUrl, clientId: 'hub' },
    sealedSecret: null,
    fingerprint: null,
    secretSince: null,
    sealedPrevious: null,
    previousFingerprint: null,
    previousUntil: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** What an error and its causes say. */
function sayings(error: unknown): string {
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  return `${String(message)} ${cause === undefined ? '' : sayings(cause)}`;
}

async function call(egress: Egress, changes: Partial<Agent>): Promise<unknown> {
  const config = configWith({});
  const memory = new EndpointMemory(new SystemClock(), config);
  const client = new SdkAgentClient(
    egress,
    config,
    memory,
    NO_DEVIATIONS,
    NO_CALLERS,
    NO_REFERENCES,
    NO_PROOFS,
    NO_REGISTRY,
    new NoTracing(),
  );
  try {
    return await client.send(anAgent('inside', changes), hello(), options());
  } finally {
    client.onApplicationShutdown();
  }
}

describe('every outgoing client of the hub', () => {
  let server: Server;
  let connections = 0;
  let port: number;

  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  describe.each(Object.keys(CLIENTS))('%s', (name) => {
    it.each([
      ['an address inside', '127.0.0.1'],
      ['a name that leads inside', 'inside.example'],
      ['an address of a cloud', '169.254.169.254'],
    ])('is refused %s', async (_what, host) => {
      const egress = new Egress({ allow: [], resolver: { resolve: async () => [LOOPBACK] } });
      const error = await CLIENTS[name]!(egress, `https://${host}:${port}/`).then(
        () => Promise.reject(new Error('was not refused')),
        (refusal: Error) => refusal,
      );
      expect(sayings(error)).toMatch(/may not be called: it is a (loopback|cloud metadata)/);
      expect(connections).toBe(0);
      await egress.close();
    });
  });
});

describe('registering a webhook at the hub', () => {
  let hub: Hub;
  let agent: RunningAgent;
  let taskId: string;

  beforeAll(async () => {
    agent = await startSdkAgent({
      name: 'worker',
      execute: (turn) => void turn.task().complete(),
    });
    hub = await startHub({
      config: { publicUrl: 'https://hub.example/a2a-hub', egress: { allow: ['127.0.0.1'] } },
    });
    await hub.registerAgent(agent.url, { id: 'worker' });
    const message = { metadata: { agentId: 'worker' } };
    taskId = String((await hub.submit('hello', { message }))['id']);
  });
  afterAll(async () => {
    await hub?.close();
    await agent.close();
  });

  const register = (url: string): Promise<unknown> =>
    hub.rpc('CreateTaskPushNotificationConfig', { taskId, url }).catch((error: unknown) => error);

  it.each([
    ['its public address', () => 'https://hub.example/a2a-hub'],
    ['a path below it', () => 'https://HUB.example:443/a2a-hub/a2a'],
    ['the address it listens at', () => `${hub.url}/a2a`],
    ['another spelling of that', () => `http://2130706433:${new URL(hub.url).port}/`],
    ['another address of this machine', () => hub.url.replace('127.0.0.1', '127.0.0.1.')],
  ])('refuses %s', async (_what, url) => {
    const error = await register(url());
    expect(error).toBeInstanceOf(RpcError);
    expect(JSON.stringify(error)).toContain('it is this hub itself');
  });

  it.each([
    ['https://2852039166/hook', 'metadata'],
    ['https://[::ffff:169.254.169.254]/hook', 'metadata'],
    ['https://[64:ff9b::7f00:1]/hook', 'NAT64'],
    ['https://１９２.168。0.1/hook', 'private'],
    ['https://ops:hunter2@receiver.example/hook', 'user or password'],
    ['https://receiver.example\\@169.254.169.254/', 'backslash'],
    ['https://receiver.example:25/', 'port 25'],
    ['http://127.0.0.1:6379/', 'port 6379'],
    ['ftp://receiver.example/', 'scheme ftp'],
  ])('refuses %s', async (url, why) => {
    const error = await register(url);
    expect(error).toBeInstanceOf(RpcError);
    expect(JSON.stringify(error)).toContain(why);
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it('takes another place on the host of its public address', async () => {
    expect(await register('https://hub.example/hooks')).toMatchObject({ taskId });
  });
});
