import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { anAgent } from '../support/an-agent.js';
import { startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { JsonObject } from '../support/json.js';

let hub: Hub;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub?.close());
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** An agent that speaks both versions over every binding, and how it is registered. */
async function registered(body: JsonObject = {}) {
  const agent = await startSdkAgent({
    version: 'both',
    binding: ['JSONRPC', 'HTTP+JSON', 'GRPC'],
  });
  closing.push(() => agent.close());
  const answer = await hub.admin('POST', '/api/v1/agents', { cardUrl: agent.url, ...body });
  return { agent, answer, id: answer.body?.['id'] as string };
}

const shown = (id: string) => hub.admin('GET', `/api/v1/agents/${id}`);
const patch = (id: string, body: JsonObject) => hub.admin('PATCH', `/api/v1/agents/${id}`, body);

function cardWith(...supportedInterfaces: JsonObject[]): JsonObject {
  const card = JSON.parse(anAgent('x').originalCard) as JsonObject;
  return { ...card, supportedInterfaces };
}

describe('the interface an operator pins', () => {
  it.each([
    ['JSONRPC', '1.0'],
    ['JSONRPC', '0.3'],
    ['HTTP+JSON', '1.0'],
    ['HTTP+JSON', '0.3'],
    ['GRPC', '1.0'],
    ['GRPC', '0.3'],
  ])('%s %s is the one that is called, and shown with its reason', async (...pin) => {
    const [protocolBinding, protocolVersion] = pin;
    const { agent, answer, id } = await registered({ protocolBinding, protocolVersion });
    expect(answer.status).toBe(201);
    expect(answer.body['endpoint']).toMatchObject({ protocolBinding, protocolVersion });
    const { body } = await shown(id);
    expect(body).toMatchObject({ protocolBinding, protocolVersion });
    expect(body['endpointNow']).toEqual(body['endpoint']);
    const interfaces = body['interfaces'] as JsonObject[];
    expect(interfaces).toHaveLength(6);
    expect(interfaces.filter((one) => one['chosen'])).toEqual([
      expect.objectContaining({ protocolBinding, protocolVersion, reason: 'called: pinned' }),
    ]);
    expect(new Set(interfaces.filter((one) => !one['chosen']).map((one) => one['reason']))).toEqual(
      new Set(['the operator pinned another']),
    );
    const text = `over ${pin.join(' ')}`;
    const sent = await hub.send(text, { tenant: id });
    const { task } = sent as { task: JsonObject };
    expect(JSON.stringify(task['artifacts'])).toContain(`echo: ${text}`);
    expect(agent.turns.map((turn) => turn.text)).toEqual([text]);
  });

  it('is set, half set and taken back later', async () => {
    const { id } = await registered();
    expect((await shown(id)).body).toMatchObject({
      protocolBinding: null,
      protocolVersion: null,
      endpoint: { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    });
    const half = await patch(id, { protocolBinding: 'GRPC' });
    expect(half.body['endpoint']).toMatchObject({
      protocolBinding: 'GRPC',
      protocolVersion: '1.0',
    });
    const whole = await patch(id, { protocolVersion: '0.3' });
    expect(whole.body['endpoint']).toMatchObject({
      protocolBinding: 'GRPC',
      protocolVersion: '0.3',
    });
    const back = await patch(id, { protocolBinding: null });
    expect(back.body['endpoint']).toMatchObject({
      protocolBinding: 'JSONRPC',
      protocolVersion: '0.3',
    });
    const free = await patch(id, { protocolVersion: null });
    expect(free.body).toMatchObject({
      protocolVersion: null,
      endpoint: { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    });
  });

  it('must be one that the card has; what it has is named', async () => {
    const card = cardWith(
      { url: 'http://127.0.0.1:9/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: '127.0.0.1:10', protocolBinding: 'GRPC', protocolVersion: '0.3' },
    );
    const refused = await hub.admin('POST', '/api/v1/agents', {
      card,
      protocolBinding: 'HTTP+JSON',
    });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('GRPC 0.3 at 127.0.0.1:10');
    expect(JSON.stringify(refused.body)).toContain('"protocolBinding"');
    const added = await hub.admin('POST', '/api/v1/agents', { card, id: 'pinned' });
    expect(added.status).toBe(201);
    const worse = await patch('pinned', { protocolBinding: 'GRPC', protocolVersion: '1.0' });
    expect(worse.status).toBe(400);
    expect((await shown('pinned')).body['protocolBinding']).toBeNull();
  });

  it.each<[string, JsonObject]>([
    ['an unknown binding', { protocolBinding: 'SOAP' }],
    ['an unknown version', { protocolVersion: '2.0' }],
    ['a number for a version', { protocolVersion: 1 }],
    ['a list', { protocolBinding: ['GRPC'] }],
  ])('is not %s', async (_name, pin) => {
    const card = cardWith({
      url: 'http://127.0.0.1:9/a2a',
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
    });
    expect((await hub.admin('POST', '/api/v1/agents', { card, ...pin })).status).toBe(400);
  });
});

describe('a gRPC interface', () => {
  const grpc = (url: string) => ({ url, protocolBinding: 'GRPC', protocolVersion: '1.0' });
  const post = (body: JsonObject) => hub.admin('POST', '/api/v1/agents', body);

  it.each([
    ['10.0.0.1:443', 'private'],
    ['grpcs://10.0.0.1:443', 'private'],
    ['169.254.169.254:80', 'metadata'],
    ['grpc://8.8.8.8:50051', 'plain http'],
  ])('at %s is refused at registration', async (url, why) => {
    const { status, text } = await post({ card: cardWith(grpc(url)) });
    expect(status).toBe(422);
    expect(text).toContain(why);
  });

  it('at the hub itself is refused', async () => {
    const served = await startHub({ config: { grpc: { port: -1 } } });
    closing.push(() => served.close());
    const body = await served.admin('GET', '/.well-known/agent-card.json');
    const own = (body.body['supportedInterfaces'] as JsonObject[] | undefined)?.find(
      (one) => one['protocolBinding'] === 'GRPC',
    );
    expect(own).toBeDefined();
    const answer = await served.admin('POST', '/api/v1/agents', {
      card: cardWith(grpc(String(own?.['url']))),
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('this hub itself');
  });

  it('may be overridden by an address whose scheme settles TLS', async () => {
    const card = cardWith(grpc('127.0.0.1:9'));
    const added = await post({ card, endpointOverride: 'grpc://127.0.0.1:10' });
    expect([added.status, added.body['endpoint']['url']]).toEqual([201, 'grpc://127.0.0.1:10']);
    const other = cardWith({
      url: 'http://127.0.0.1:9/a2a',
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
    });
    const wrong = await post({ card: other, endpointOverride: 'grpc://127.0.0.1:10' });
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('endpointOverride')]);
  });

  it('takes no credentials that gRPC cannot carry, at registration or later', async () => {
    const card = cardWith(grpc('127.0.0.1:9'));
    const refused = await post({ card, credentials: { 'key-bin': 'secret' } });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('key-bin')]);
    expect(refused.text).not.toContain('secret');
    const added = await post({ card, id: 'carried', credentials: { 'x-key': 'secret' } });
    expect(added.status).toBe(201);
    expect((await patch('carried', { credentials: { 'x-key': 'grün' } })).status).toBe(400);
  });
});

describe('what the hub calls now', () => {
  it('is shown to differ while the first interface does not answer', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    const agent = await startSdkAgent({ binding: 'GRPC' });
    closing.push(() => agent.close());
    const found = await fetch(`${agent.url}/.well-known/agent-card.json`);
    const { supportedInterfaces } = (await found.json()) as JsonObject;
    const dead = {
      url: `http://127.0.0.1:${port}/`,
      protocolBinding: 'JSONRPC',
      protocolVersion: '1.0',
    };
    const card = cardWith(dead, ...(supportedInterfaces as JsonObject[]));
    await hub.admin('POST', '/api/v1/agents', { card, id: 'half-dead' });
    const sent = await hub.send('hi', { tenant: 'half-dead' });
    expect(JSON.stringify(sent)).toContain('echo: hi');
    expect((await shown('half-dead')).body).toMatchObject({
      endpoint: { protocolBinding: 'JSONRPC' },
      endpointNow: { protocolBinding: 'GRPC' },
    });
  });
});
