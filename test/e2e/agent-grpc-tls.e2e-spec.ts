/**
 * With modules of its own: grpc-js reads the roots it trusts when it is loaded.
 *
 * @jest-environment node
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Server } from '@grpc/grpc-js';
import { ConnectProxy } from '../support/connect-proxy.js';
import { selfSigned } from '../support/self-signed.js';
import { NoTracing } from '../../src/common/tracing/tracing.js';

const { certificate, key } = selfSigned();
let directory: string;
let server: Server;
let port: number;
const hosts: string[] = [];

// Everything that loads grpc-js comes after the roots are there.
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'a2a-hub-tls-'));
  const roots = join(directory, 'roots.pem');
  await writeFile(roots, certificate);
  process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = roots;
  const grpc = await import('@grpc/grpc-js');
  grpc.setLogVerbosity(grpc.logVerbosity.NONE);
  const { A2AService } = await import('@a2a-js/sdk/server/grpc');
  server = new grpc.Server();
  server.addService(A2AService, {
    getTask: (call: { getHost(): string }, callback: (error: null, task: object) => void) => {
      hosts.push(call.getHost());
      const status = { state: 2, message: undefined, timestamp: undefined };
      callback(null, { id: 't', contextId: '', status, artifacts: [], history: [] });
    },
  });
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  const credentials = grpc.ServerCredentials.createSsl(null, [pair]);
  port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
});

afterAll(async () => {
  delete process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'];
  server.forceShutdown();
  await rm(directory, { recursive: true });
});

async function ask(name: string, address: string, proxy?: ConnectProxy) {
  const { Egress } = await import('../../src/common/egress/egress.js');
  const { SystemClock } = await import('../../src/common/clock.js');
  const { configWith } = await import('../../src/config/index.js');
  const { EndpointMemory } = await import('../../src/agents/client/endpoint-memory.js');
  const { SdkAgentClient } = await import('../../src/agents/client/sdk-agent.client.js');
  const { anAgent, NO_CALLERS, NO_DEVIATIONS, NO_PROOFS, NO_REGISTRY, NO_REFERENCES } =
    await import('../support/an-agent.js');
  const { endpoint, options } = await import('../support/agent-calls.js');
  const resolver = { resolve: async () => [{ address: '127.0.0.1', family: 4 } as const] };
  const url = `http://127.0.0.1:${proxy?.port}`;
  const egress = new Egress({
    allow: [name],
    resolver,
    ...(proxy ? { proxy: { url, noProxy: [], resolves: false } } : {}),
  });
  const memory = new EndpointMemory(new SystemClock(), configWith({}));
  const client = new SdkAgentClient(
    egress,
    configWith({}),
    memory,
    NO_DEVIATIONS,
    NO_CALLERS,
    NO_REFERENCES,
    NO_PROOFS,
    NO_REGISTRY,
    new NoTracing(),
  );
  try {
    const agent = anAgent('tls', { endpoint: endpoint(address, '1.0', 'GRPC') });
    return await client.getTask(agent, 't', options()).catch((error: unknown) => error);
  } finally {
    client.onApplicationShutdown();
    await egress.close();
  }
}

describe('gRPC over TLS', () => {
  it.each(['grpcs', 'https'])('checks the name that was asked for (%s)', async (scheme) => {
    expect(await ask('localhost', `${scheme}://localhost:${port}`)).toHaveProperty('id', 't');
    expect(hosts.at(-1)).toBe(`localhost:${port}`);
    const wrong = await ask('other.internal', `${scheme}://other.internal:${port}`);
    expect(wrong).toMatchObject({ kind: 'unreachable' });
  });

  it('checks the name that was asked for through a proxy that is given an address', async () => {
    const proxy = await ConnectProxy.start();
    try {
      const known = await ask('localhost', `https://localhost:${port}`, proxy);
      expect(known).toHaveProperty('id', 't');
      expect(hosts.at(-1)).toBe(`localhost:${port}`);
      expect(new Set(proxy.targets)).toEqual(new Set([`127.0.0.1:${port}`]));
      const wrong = await ask('other.internal', `https://other.internal:${port}`, proxy);
      expect(wrong).toMatchObject({ kind: 'unreachable' });
    } finally {
      await proxy.close();
    }
  });
});
