import { type Server, createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { request } from 'undici';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';

let hub: Hub;
let agent: RunningAgent;
let proxy: Server;
/** The address of the hub for everybody: below a path that the proxy takes away. */
let base: string;

beforeAll(async () => {
  proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!/^\/team\/hub(\/|$)/.test(url)) return void outgoing.writeHead(421).end();
    const path = url.slice('/team/hub'.length) || '/';
    const onward = ask(new URL(path, hub.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/team/hub`;
  [hub, agent] = await Promise.all([
    startHub({ config: { publicUrl: base } }),
    startSdkAgent({ execute: (turn) => void turn.task().artifact('r', turn.text).complete() }),
  ]);
  await hub.registerAgent(agent.url, { id: 'worker' });
});
afterAll(async () => {
  await Promise.all([hub.close(), agent.close()]);
  proxy.closeAllConnections();
  proxy.close();
});

async function get(url: string, key?: string) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const answer = await request(url, { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** Every address of the proxy in a document. */
const ownAddresses = (text: string): string[] =>
  text.match(/https?:\/\/(?:127\.0\.0\.1|localhost)[^"\\\s]*/g) ?? [];

it('the card below the path names addresses below it only', async () => {
  for (const path of [
    '/.well-known/agent-card.json',
    '/a2a/agents/worker/.well-known/agent-card.json',
  ]) {
    const { status, text } = await get(base + path);
    expect([path, status]).toEqual([path, 200]);
    const addresses = ownAddresses(text);
    expect(addresses.length).toBeGreaterThan(1);
    expect(addresses.filter((one) => !one.startsWith(`${base}/`))).toEqual([]);
  }
});

it.each([
  ['JSON-RPC', (fetchImpl: typeof fetch) => new JsonRpcTransportFactory({ fetchImpl })],
  ['HTTP+JSON', (fetchImpl: typeof fetch) => new RestTransportFactory({ fetchImpl })],
])('a client that has read the card streams by %s through the proxy', async (_, transport) => {
  const key = await hub.createKey();
  const withKey: typeof fetch = (url, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(url, { ...init, headers });
  };
  const card = JSON.parse((await get(`${base}/.well-known/agent-card.json`)).text);
  const client = await new ClientFactory({ transports: [transport(withKey)] }).createFromAgentCard(
    card,
  );
  const kinds: unknown[] = [];
  const message = {
    ...{
      messageId: `m-${Math.random()}`,
      role: 1,
      parts: [{ content: { $case: 'text', value: 'hi' } }],
    },
    metadata: { agentId: 'worker' },
  };
  for await (const { payload } of client.sendMessageStream({ message } as never))
    kinds.push(payload?.$case);
  expect(kinds).toContain('artifactUpdate');
});

it('the pages and what they lead to are below it, without a slash at their end too', async () => {
  for (const path of ['/', '/docs', '/docs/']) {
    const at = base + path;
    const answer = await request(at, { headers: { accept: 'text/html' } });
    const page = await answer.body.text();
    expect([path, answer.statusCode]).toEqual([path, 200]);
    const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(
      ([, link]) => new URL(link!, at).href,
    );
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
  }
});

it('the admin API and the keys of signatures are below it', async () => {
  expect((await get(`${base}/api/v1/agents`, ADMIN_KEY)).status).toBe(200);
  expect((await get(`${base}/.well-known/jwks.json`)).status).toBe(200);
  const { headers } = await get(`${base}/.well-known/agent-card.json`);
  expect(ownAddresses(JSON.stringify(headers)).filter((one) => !one.startsWith(base))).toEqual([]);
});
