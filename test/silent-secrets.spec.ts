import { afterEach, describe, expect, it } from '@jest/globals';
import type { Agent } from '../src/agents/agent.js';
import { EndpointMemory } from '../src/agents/client/endpoint-memory.js';
import { SdkAgentClient } from '../src/agents/client/sdk-agent.client.js';
import { AgentHealthChecks } from '../src/agents/health/agent-health-checks.js';
import { SystemClock } from '../src/common/clock.js';
import { Egress } from '../src/common/egress/egress.js';
import { storedReference } from '../src/common/secret-references/referred-secret.js';
import { NoTracing } from '../src/common/tracing/tracing.js';
import { configWith } from '../src/config/index.js';
import { anAgent, NO_DEVIATIONS, NO_PROOFS, NO_REGISTRY } from './support/an-agent.js';
import { eventually } from './support/eventually.js';
import { listenOnLoopback } from './support/http-listener.js';

const SECRET = storedReference({
  ...{ reference: 'vault:agents/books#token', prefix: '' },
  grantee: 'configuration',
});
const NEVER = new Promise<never>(() => undefined);

describe('where secrets are kept that do not answer', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  function clientWith(known: string | undefined): SdkAgentClient {
    const egress = new Egress({ allow: ['127.0.0.1'] });
    const clock = new SystemClock();
    const config = configWith({});
    const client = new SdkAgentClient(
      egress,
      config,
      new EndpointMemory(clock, config),
      NO_DEVIATIONS,
      { issue: () => Promise.resolve('token') },
      {
        current: (stored) => (stored === SECRET ? known : stored),
        resolve: () => NEVER,
        refresh: () => NEVER,
      },
      NO_PROOFS,
      NO_REGISTRY,
      new NoTracing(),
    );
    closing.push(
      () => client.onApplicationShutdown(),
      () => egress.close(),
    );
    return client;
  }

  /** An agent that refuses every call. */
  async function refusing(): Promise<Agent> {
    const { url, close } = await listenOnLoopback((_, response) => response.writeHead(401).end());
    closing.push(close);
    const endpoint: Agent['endpoint'] = {
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
      tenant: '',
    };
    const credentials = { authorization: SECRET };
    return anAgent('books', { endpoint, credentials, credentialOrigins: [new URL(url).origin] });
  }

  it('keep no call that is left before it is made', async () => {
    const signal = AbortSignal.timeout(100);
    await expect(clientWith(undefined).getTask(await refusing(), 't', { signal })).rejects.toEqual(
      expect.objectContaining({ kind: 'interrupted' }),
    );
  }, 5000);

  it('keep no call that was refused', async () => {
    const signal = AbortSignal.timeout(500);
    await expect(clientWith('old').getTask(await refusing(), 't', { signal })).rejects.toEqual(
      expect.objectContaining({ kind: 'rejected' }),
    );
  }, 5000);

  it('take no place of the health checks of other agents for good', async () => {
    const agent = anAgent('books', { cardUrl: 'https://books.example/card' });
    const looked: string[] = [];
    const monitor = {
      removeGone: () => undefined,
      dueForHealthCheck: () => [agent],
      admit: () => ({ kind: 'open' }),
      looked: ({ id }: Agent) => void looked.push(id),
      began: () => ({}),
    };
    const log = { warn: () => undefined, info: () => undefined };
    const checks = new AgentHealthChecks(
      monitor as never,
      {} as never,
      new SystemClock(),
      configWith({ agents: { health: { probeIntervalMs: 20, probeTimeoutMs: 100 } } }),
      log as never,
      { tlsFor: () => NEVER } as never,
      { removeGone: () => undefined } as never,
      {} as never,
    );
    checks.onApplicationBootstrap();
    closing.push(() => checks.onModuleDestroy());
    await eventually(() => expect(looked.length).toBeGreaterThan(1), 4000);
  });
});
