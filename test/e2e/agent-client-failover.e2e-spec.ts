import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Agent } from '../../src/agents/agent.js';
import { anAgent } from '../support/an-agent.js';
import { agentCalls, all, failure, hello, kinds, options } from '../support/agent-calls.js';
import { startSdkAgent } from '../support/agents.js';
import { FakeClock } from '../support/fake-clock.js';
import { listenOnLoopback } from '../support/http-listener.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const clock = new FakeClock();
const { client, closing, register, scripted } = agentCalls(clock);

type Interface = readonly [binding: string, version: string, url: string];

/** An agent whose card has these interfaces; the first is the hub's choice. */
function agentAt(interfaces: readonly Interface[], changes: Partial<Agent> = {}): Agent {
  const supportedInterfaces = interfaces.map(([protocolBinding, protocolVersion, url]) => ({
    protocolBinding,
    protocolVersion,
    url,
  }));
  const agent = anAgent('several', changes, { supportedInterfaces });
  const [first] = agent.card.supportedInterfaces;
  return { ...agent, endpoint: first as Agent['endpoint'], ...changes };
}

/** A port that nothing listens at. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function sdk(options: Parameters<typeof startSdkAgent>[0]) {
  const running = await startSdkAgent(options);
  closing.push(() => running.close());
  return running;
}

describe('an agent with several interfaces', () => {
  it.each(['HTTP+JSON', 'GRPC'] as const)('is called at the next one (%s)', async (binding) => {
    const dead = `http://127.0.0.1:${await deadPort()}/`;
    const running = await sdk({ binding });
    const { card } = await register(running.url);
    const alive = card.supportedInterfaces[0]!;
    const agent = agentAt([
      ['JSONRPC', '1.0', dead],
      [binding, '1.0', alive.url],
    ]);
    expect(kinds(await all(client.stream(agent, hello(), options())))).toHaveLength(4);
    expect(await client.send(agent, hello(), options())).toHaveProperty('task');
    expect(running.turns).toHaveLength(2);
  });

  it('is called over HTTP when its gRPC port does not answer', async () => {
    const running = await sdk({ version: '0.3' });
    const agent = agentAt([
      ['GRPC', '1.0', `127.0.0.1:${await deadPort()}`],
      ['JSONRPC', '0.3', `${running.url}/`],
    ]);
    expect(await client.send(agent, hello(), options())).toHaveProperty('task');
  });

  it('is called over HTTP at the port that is none of gRPC after all', async () => {
    const other = await scripted({});
    const agent = agentAt([
      ['GRPC', '1.0', new URL(other.running.url).host],
      ['JSONRPC', '1.0', `${other.running.url}/rpc`],
    ]);
    expect(await client.send(agent, hello(), options())).toHaveProperty('task');
    expect(other.running.calls).toHaveLength(1);
  });

  it('is not dead because of extensions that no header can carry', async () => {
    const extensions = ['urn:bad\n', 'urn:€', 'urn:good'];
    const grpc = await sdk({ binding: 'GRPC' });
    const { card } = await register(grpc.url);
    const other = await scripted({});
    const agent = agentAt([
      ['JSONRPC', '1.0', `${other.running.url}/rpc`],
      ['GRPC', '1.0', card.supportedInterfaces[0]!.url],
    ]);
    const named = hello('hi', { extensions });
    await client.send(agent, named, options({ extensions }));
    const [call] = other.running.calls;
    expect(call?.headers['a2a-extensions']).toBe('urn:good');
    expect(call?.message['extensions']).toEqual(extensions);
    const overGrpc = agentAt([['GRPC', '1.0', card.supportedInterfaces[0]!.url]]);
    expect(await client.send(overGrpc, named, options({ extensions }))).toHaveProperty('task');
  });

  it('passes the dead one over for 30 s, then asks it again', async () => {
    const port = await deadPort();
    const other = await scripted({});
    const agent = agentAt([
      ['JSONRPC', '1.0', `http://127.0.0.1:${port}/rpc`],
      ['JSONRPC', '1.0', `${other.running.url}/rpc`],
    ]);
    await client.send(agent, hello(), options());
    const back = await ScriptedAgent.start({ port });
    closing.push(() => back.close());
    await clock.advance(29_000);
    await client.send(agent, hello(), options());
    expect([back.calls.length, other.running.calls.length]).toEqual([0, 2]);
    await clock.advance(1000);
    await client.send(agent, hello(), options());
    await client.send(agent, hello(), options());
    expect([back.calls.length, other.running.calls.length]).toEqual([2, 2]);
  });

  it('is still called when all are dead, and once at each server', async () => {
    let connections = 0;
    const agent = agentAt([
      ['JSONRPC', '1.0', `http://127.0.0.1:${await deadPort()}/`],
      ['GRPC', '1.0', `127.0.0.1:${await deadPort()}`],
    ]);
    const first = await failure(client.send(agent, hello(), options()));
    expect(first).toMatchObject({ kind: 'unreachable' });
    expect(first.message).toContain(new URL(agent.endpoint.url).host);
    const [, grpc] = agent.card.supportedInterfaces;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(Number(grpc?.url.split(':')[1]), '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('unreachable');
    expect(connections).toBeGreaterThan(0);
  });

  it('is not asked again when it may have taken the message', async () => {
    const { url, close } = await listenOnLoopback((request, response) => {
      request.resume().on('end', () => response.destroy());
    });
    closing.push(close);
    const other = await scripted({});
    const agent = agentAt([
      ['JSONRPC', '1.0', `${url}/`],
      ['JSONRPC', '1.0', `${other.running.url}/rpc`],
    ]);
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('interrupted');
    const stream = all(client.stream(agent, hello(), options()));
    expect((await failure(stream)).kind).toBe('interrupted');
    expect(other.running.calls).toHaveLength(0);
  });

  it('is not asked at another one when it refused', async () => {
    const refusing = await scripted({ handlers: { '*': (call) => call.error(-32602, 'no') } });
    const other = await scripted({});
    const agent = agentAt([
      ['JSONRPC', '1.0', `${refusing.running.url}/rpc`],
      ['JSONRPC', '1.0', `${other.running.url}/rpc`],
    ]);
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('rejected');
    expect(other.running.calls).toHaveLength(0);
  });

  it.each<[string, Partial<Agent>]>([
    ['an endpoint of the operator', { endpointOverride: 'http://127.0.0.1:1/' }],
    ['a pin', { pin: { protocolBinding: 'JSONRPC', protocolVersion: '1.0' } }],
  ])('is called at one only, because of %s', async (_name, changes) => {
    const other = await scripted({});
    const agent = agentAt(
      [
        ['JSONRPC', '1.0', 'http://127.0.0.1:1/'],
        ['JSONRPC', '1.0', `${other.running.url}/rpc`],
      ],
      changes,
    );
    expect((await failure(client.send(agent, hello(), options()))).kind).toBe('unreachable');
    expect(other.running.calls).toHaveLength(0);
  });

  it('is called within a pin of one half', async () => {
    const other = await scripted({});
    const interfaces: Interface[] = [
      ['HTTP+JSON', '1.0', `http://127.0.0.1:${await deadPort()}/`],
      ['JSONRPC', '1.0', `${other.running.url}/rpc`],
    ];
    const rest = { protocolBinding: 'HTTP+JSON', protocolVersion: null } as const;
    const bound = agentAt(interfaces, { pin: rest });
    expect((await failure(client.send(bound, hello(), options()))).kind).toBe('unreachable');
    const modern = { protocolBinding: null, protocolVersion: '1.0' } as const;
    await client.send(agentAt(interfaces, { pin: modern, id: 'other' }), hello(), options());
    expect(other.running.calls).toHaveLength(1);
  });

  it('gets what gRPC cannot carry over another binding', async () => {
    const running = await sdk({ binding: 'GRPC' });
    const { card } = await register(running.url);
    const other = await scripted({});
    const agent = agentAt(
      [
        ['GRPC', '1.0', card.supportedInterfaces[0]!.url],
        ['JSONRPC', '1.0', `${other.running.url}/rpc`],
      ],
      { credentials: { 'key-bin': 'abc' } },
    );
    await client.send(agent, hello(), options());
    expect(other.running.calls[0]?.headers['key-bin']).toBe('abc');
    expect(running.turns).toHaveLength(0);
  });
});
