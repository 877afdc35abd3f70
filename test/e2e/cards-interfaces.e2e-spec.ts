import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { GrpcClient, V0, V1, failureOf } from '../support/grpc-client.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import type { Json } from '../support/json.js';

const HUB_CARD = '/.well-known/agent-card.json';
const AGENT_CARD = `/a2a/agents/scripted${HUB_CARD}`;
const NO_TASK = 'no-such-task';

interface Interface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
  readonly tenant?: string;
}

let served: GrpcHub;
let hub: Hub;

beforeAll(async () => {
  served = await startGrpcHub();
  ({ hub } = served);
});

afterAll(() => served.close());

describe.each([HUB_CARD, AGENT_CARD])('the interfaces of %s', (path) => {
  it('begin with JSON-RPC, and with 1.0 for each binding', async () => {
    const listed = (await interfacesOf(path)).map(
      ({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`,
    );
    expect(listed).toEqual([
      'JSONRPC 1.0',
      'JSONRPC 0.3',
      'HTTP+JSON 1.0',
      'HTTP+JSON 0.3',
      'GRPC 1.0',
      // It has no tenant, by which an agent could be named.
      ...(path === HUB_CARD ? ['GRPC 0.3'] : []),
    ]);
  });

  it('are all served where they say', async () => {
    for (const each of await interfacesOf(path)) {
      expect({ each, refusal: await refusalAt(each) }).toEqual({
        each,
        refusal: expect.stringMatching(/^Task not found|TASK_NOT_FOUND/),
      });
    }
  });
});

it('name no gRPC while that is off', async () => {
  const plain = await startHub();
  const { text } = await plain.get(HUB_CARD, { key: null });
  expect(text).not.toContain('GRPC');
  await plain.close();
});

it('are where the configuration says, whatever the socket is', async () => {
  const config = {
    publicUrl: 'https://hub.example.com/base',
    grpc: { port: -1, publicUrl: 'https://grpc.example.com' },
  };
  const behind = await startHub({ config });
  const { body } = await behind.get(HUB_CARD, { key: null, version: null });
  expect(new Set(body.supportedInterfaces.map(({ url }: Json) => url))).toEqual(
    new Set(['https://hub.example.com/base/a2a', 'grpc.example.com:443']),
  );
  expect(body.additionalInterfaces.at(-1)).toEqual({
    url: 'grpc.example.com:443',
    transport: 'GRPC',
  });
  await behind.close();
});

it('can be read by pages of other origins, as can the keys', async () => {
  for (const path of [HUB_CARD, AGENT_CARD, '/.well-known/jwks.json']) {
    const { headers } = await hub.get(path, {
      key: null,
      headers: { origin: 'https://a.example' },
    });
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag',
    });
    const preflight = await fetch(hub.url + path, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('A2A-Version');
  }
  const missing = await hub.get(`/a2a/agents/nobody${HUB_CARD}`, { key: null });
  expect(missing.status).toBe(404);
  expect(missing.headers['access-control-allow-origin']).toBe('*');
});

async function interfacesOf(path: string): Promise<Interface[]> {
  const { body } = await hub.get(path, { key: null, version: null });
  return body.supportedInterfaces;
}

/** How an unknown task is refused at this interface, called as its clients do. */
async function refusalAt({
  url,
  protocolBinding,
  protocolVersion,
  tenant,
}: Interface): Promise<string> {
  const modern = protocolVersion === '1.0';
  if (protocolBinding === 'GRPC') {
    const client = new GrpcClient(url, { key: await hub.key() });
    const call = modern
      ? client.call(V1.getTask, {
          tenant: tenant ?? '',
          id: NO_TASK,
          historyLength: undefined,
        })
      : client.call(V0.getTask, { name: `tasks/${NO_TASK}`, historyLength: 0 });
    const { message } = await failureOf(call);
    client.close();
    return message;
  }
  expect(tenant).toBeUndefined();
  const path = url.replace(hub.url, '');
  if (protocolBinding === 'JSONRPC') {
    const method = modern ? 'GetTask' : 'tasks/get';
    const texts = await Promise.all(
      [path, `${path}/`].map((each) =>
        hub.rpcRaw(method, { id: NO_TASK }, { path: each, version: null }),
      ),
    );
    expect(texts[1]!.text).toBe(texts[0]!.text);
    return texts[0]!.body.error.message;
  }
  const prefix = modern ? '' : '/v1';
  const answer = await hub.get(`${path}${prefix}/tasks/${NO_TASK}`, { version: null });
  return JSON.stringify(answer.body).includes('TASK_NOT_FOUND')
    ? 'TASK_NOT_FOUND'
    : answer.body.message;
}
