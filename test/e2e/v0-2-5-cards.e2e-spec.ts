import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningAgent, startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import type { Json } from '../support/json.js';

let hub: Hub;
let agent: RunningAgent;

beforeAll(async () => {
  hub = await startHub();
  agent = await startSdkAgent({ name: 'echo' });
  await hub.registerAgent(agent.url, { id: 'echo' });
});

afterAll(async () => {
  await hub?.close();
  await agent?.close();
});

describe('cards of A2A 0.2.5', () => {
  const REQUIRED = [
    'protocolVersion',
    'name',
    'description',
    'url',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'skills',
  ];

  const publicCard = async (): Promise<Json> =>
    (await hub.get('/.well-known/agent.json', { key: null, version: null })).body;

  it('is at /.well-known/agent.json, with what 0.2.5 requires', async () => {
    const card = await publicCard();
    expect(Object.keys(card)).toEqual(expect.arrayContaining(REQUIRED));
    expect(card.supportsAuthenticatedExtendedCard).toBe(true);
    for (const skill of card.skills) {
      expect(Object.keys(skill)).toEqual(
        expect.arrayContaining(['id', 'name', 'description', 'tags']),
      );
    }
  });

  it('the extended card is where the url of the public one says', async () => {
    const { url } = await publicCard();
    const place = new URL(`${url}/../agent/authenticatedExtendedCard`);
    const { status, headers, body } = await hub.get(place.pathname, { version: null });
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(Object.keys(body)).toEqual(expect.arrayContaining(REQUIRED));
    expect(body.supportsAuthenticatedExtendedCard).toBe(true);
    expect(body.securitySchemes.bearer).toEqual({
      type: 'http',
      scheme: 'Bearer',
      description: expect.any(String),
    });
    expect(await hub.rpc('agent/getAuthenticatedExtendedCard', {}, { version: null })).toEqual(
      body,
    );
  });

  it('it is found by appending to the url as well, for one agent too', async () => {
    const appended = await hub.get('/a2a/agent/authenticatedExtendedCard', { version: null });
    expect(appended.status).toBe(200);
    const path = '/a2a/agents/echo/agent/authenticatedExtendedCard';
    const ofAgent = await hub.get(path, { version: '0.2.5' });
    expect(ofAgent.body).toMatchObject({ name: expect.stringContaining('echo') });
    expect(ofAgent.body.url).toMatch(/\/a2a\/agents\/echo$/);
  });

  it('is for callers that are known and allowed: 401 and 403', async () => {
    const path = '/agent/authenticatedExtendedCard';
    const unknown = await hub.get(path, { key: null, version: null });
    expect(unknown.status).toBe(401);
    expect(unknown.headers['www-authenticate']).toMatch(/^Bearer/);
    const key = await hub.createKey({ name: 'push only', scopes: ['push'] });
    expect((await hub.get(path, { key, version: null })).status).toBe(403);
  });

  it('is read by GET and HEAD alone', async () => {
    const path = '/agent/authenticatedExtendedCard';
    const head = await hub.rest('HEAD', path, undefined, { version: null });
    expect([head.status, head.text]).toEqual([200, '']);
    const post = await hub.rest('POST', path, '{}', { version: null });
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
