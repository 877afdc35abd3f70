import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../src/agents/agent.js';
import { CardReader } from '../../src/agents/card/card-reader.js';
import { KeySets } from '../../src/agents/card/key-sets.js';
import { EndpointMemory } from '../../src/agents/client/endpoint-memory.js';
import { SdkAgentClient } from '../../src/agents/client/sdk-agent.client.js';
import { SystemClock } from '../../src/common/clock.js';
import { Egress } from '../../src/common/egress/egress.js';
import type { Log } from '../../src/common/logger.js';
import { configWith } from '../../src/config/index.js';
import { HttpWebhookSender } from '../../src/push/http-webhook.sender.js';
import { ExternalRouter } from '../../src/routing/external-router.js';
import { anAgent } from '../support/an-agent.js';
import { endpoint, hello, options } from '../support/agent-calls.js';

const ROOT = join(import.meta.dirname, '../../src');
const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;

/** Everything of the hub that connects to somebody: how it is made to, given an `https` address. */
const CLIENTS: Record<string, (egress: Egress, url: string) => Promise<unknown>> = {
  'the reader of cards': (egress, url) => new CardReader(egress).find(url, {}),
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
    const request = { url, headers: {}, body: '{}', secrets: [] };
    const sender = new HttpWebhookSender(egress, new SystemClock(), limits);
    const answer = await sender.send(request, new AbortController().signal);
    throw new Error(`no answer: ${answer.detail}`);
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

async function call(egress: Egress, changes: Partial<Agent>): Promise<unknown> {
  const config = configWith({});
  const memory = new EndpointMemory(new SystemClock(), config);
  const client = new SdkAgentClient(egress, config, memory);
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
      expect(error.message).toMatch(/may not be called: it is a (loopback|cloud metadata)/);
      expect(connections).toBe(0);
      await egress.close();
    });
  });

  it('is among those above: nothing else in the sources can connect', async () => {
    const files = (await readdir(ROOT, { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
    );
    const connecting: string[] = [];
    for (const file of files) {
      if (canConnect(await readFile(join(ROOT, file), 'utf8'))) connecting.push(file);
    }
    expect(connecting.sort()).toEqual([
      'common/egress/egress.ts',
      'common/egress/guarded-channel.ts',
    ]);
  });
});

/** Whether a source takes hold of anything that opens connections. */
function canConnect(source: string): boolean {
  const imports = source.matchAll(/^import (?!type )([^;]*?) from '([^']+)';/gms);
  for (const [, names, from] of imports) {
    const values = (names ?? '').replaceAll(/\btype \w+/g, '');
    if (from === 'undici') return true;
    if (/^node:(https?|http2|net|tls|dgram)$/.test(from ?? '')) {
      if (/\b(connect|createConnection|request|get|Agent|Socket)\b|\* as/.test(values)) return true;
    }
    if (from === '@grpc/grpc-js') {
      if (/\b(Client|Channel|credentials|makeClientConstructor)\b|\* as/.test(values)) return true;
    }
  }
  return /(?<![.\w'])fetch\(/.test(source);
}
