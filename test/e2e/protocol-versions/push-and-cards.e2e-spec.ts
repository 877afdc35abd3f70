import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SideAgent } from './side-agents.js';
import type { JsonObject } from '../../support/json.js';
import { ScriptedAgent } from '../../support/scripted-agent.js';
import { type ReceivedWebhook, WebhookSink } from '../../support/webhook-sink.js';
import { type Dialect, DIALECTS, textPart } from './dialects.js';
import { Sides } from './sides.js';

let sides: Sides;
let sink: WebhookSink;

beforeAll(async () => {
  [sides, sink] = await Promise.all([Sides.start({ streaming: false }), WebhookSink.start()]);
});

afterAll(() => Promise.all([sides.close(), sink.close()]));

const SCHEMES = ['Bearer', 'Custom'];

/** A config of each dialect, as its create request has it. */
function create(client: Dialect, taskId: string, url: string, id = ''): JsonObject {
  const config = { id, url, token: 'the-token' };
  const authentication = { schemes: SCHEMES, credentials: 'the-credentials' };
  if (client === '1.0') {
    const one = { scheme: 'Bearer', credentials: 'the-credentials' };
    return { taskId, ...config, authentication: one };
  }
  const pushNotificationConfig = { ...config, authentication };
  if (client === '0.3') return { taskId, pushNotificationConfig };
  const name = `tasks/${taskId}/pushNotificationConfigs/${id}`;
  const parent = `tasks/${taskId}`;
  return { parent, configId: id, config: { name, pushNotificationConfig } };
}

describe.each(DIALECTS)('a client of %s', (client) => {
  const hello = { parts: [textPart(client, 'hello')] };

  async function waiting(): Promise<string> {
    sides.agents['1.0'].answer = { state: 'input-required' };
    const { id } = await sides.send(client, '1.0', hello);
    return String(id);
  }

  async function set(taskId: string, url: string, id?: string): Promise<JsonObject> {
    const request = create(client, taskId, url, id);
    if (client === 'proto') {
      return sides.callLegacy('createTaskPushNotificationConfig', request);
    }
    const method =
      client === '1.0' ? 'CreateTaskPushNotificationConfig' : 'tasks/pushNotificationConfig/set';
    return (await sides.hub.rpc(method, request, { version: null })) as JsonObject;
  }

  const inside = (config: JsonObject): JsonObject =>
    (config['pushNotificationConfig'] ?? config) as JsonObject;

  it('push.shape', async () => {
    const taskId = await waiting();
    const config = await set(taskId, sink.url('/shape'), 'mine');
    expect(inside(config)).toMatchObject({ id: 'mine', url: sink.url('/shape') });
    if (client === 'proto') {
      expect(config).toMatchObject({ name: `tasks/${taskId}/pushNotificationConfigs/mine` });
    } else expect(config).toMatchObject({ taskId });
  });

  it('push.id', async () => {
    const taskId = await waiting();
    const config = await set(taskId, sink.url('/id'));
    expect(inside(config)['id']).toEqual(expect.stringMatching(/.{8,}/));
  });

  it('push.schemes, push.body, push.token', async () => {
    const taskId = await waiting();
    const path = `/told-${client.replace('.', '-')}`;
    const config = inside(await set(taskId, sink.url(path)));
    const { authentication } = config as { authentication: JsonObject };
    if (client === '1.0') expect(authentication).toMatchObject({ scheme: 'Bearer' });
    else expect(authentication['schemes']).toContain('Bearer');
    await sides.cancel(client, taskId);
    const webhook: ReceivedWebhook = await sink.waitFor(
      ({ path: at, raw }) => at === path && /canceled/i.test(raw.toString()),
    );
    expect(webhook.headers).toMatchObject({
      'a2a-notification-token': 'the-token',
      'x-a2a-notification-token': 'the-token',
      authorization: 'Bearer the-credentials',
    });
    if (client === '1.0') {
      expect(webhook.json).toMatchObject({
        statusUpdate: { taskId, status: { state: 'TASK_STATE_CANCELED' } },
      });
    } else {
      expect(webhook.json).toMatchObject({
        kind: 'task',
        id: taskId,
        status: { state: 'canceled' },
      });
    }
  });
});

describe('cards', () => {
  const root = async (path: string): Promise<JsonObject> =>
    (await sides.hub.get(path, { key: null, version: null })).body as JsonObject;

  it('card.path', async () => {
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      expect(await root(path)).toMatchObject({ name: 'A2A Hub' });
    }
    const older = await ScriptedAgent.start({ cardPath: '/.well-known/agent.json' });
    await expect(sides.hub.registerAgent(older.url, { id: 'found' })).resolves.toBe('found');
    await older.close();
  });

  it('card.interfaces', async () => {
    const [current, legacy] = [
      await root('/a2a/.well-known/agent-card.json'),
      await root('/.well-known/agent.json'),
    ];
    const pairs = (current['supportedInterfaces'] as JsonObject[]).map(
      ({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`,
    );
    expect(pairs).toEqual([
      'JSONRPC 1.0',
      'JSONRPC 0.3',
      'HTTP+JSON 1.0',
      'HTTP+JSON 0.3',
      'GRPC 1.0',
      'GRPC 0.3',
    ]);
    expect(legacy).toMatchObject({ preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' });
    const transports = (legacy['additionalInterfaces'] as JsonObject[]).map(
      (one) => one['transport'],
    );
    expect(new Set(transports)).toEqual(new Set(['JSONRPC', 'HTTP+JSON', 'GRPC']));
    const union = await root('/.well-known/agent-card.json');
    expect(union).toMatchObject({ supportedInterfaces: current['supportedInterfaces'] });
    expect(union['additionalInterfaces']).toHaveLength(transports.length);
    for (const agent of Object.values(sides.agents)) {
      const shown = await sides.hub.admin('GET', `/api/v1/agents/${agent.id}`);
      const { protocolBinding, protocolVersion } = shown.body['endpoint'] as JsonObject;
      expect(`${protocolBinding} ${protocolVersion}`).toBe(SPOKEN[agent.dialect]);
    }
  });

  it('card.grpc-address', async () => {
    const address = (interfaces: JsonObject[], name: string): string =>
      String(interfaces.find((one) => one[name] === 'GRPC')!['url']);
    const current = await root('/a2a/.well-known/agent-card.json');
    const legacy = await root('/.well-known/agent.json');
    const union = await root('/.well-known/agent-card.json');
    const dialed = address(current['supportedInterfaces'], 'protocolBinding');
    expect(dialed).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(address(legacy['additionalInterfaces'], 'transport')).toBe(dialed);
    expect(address(union['supportedInterfaces'], 'protocolBinding')).toBe(dialed);
    expect(address(union['additionalInterfaces'], 'transport')).toBe(dialed);
  });

  it('card.signatures', async () => {
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      const { signatures } = await root(path);
      expect(signatures).toContainEqual({
        protected: expect.any(String),
        signature: expect.any(String),
      });
    }
    const signature = { protected: 'e30', signature: 'of-the-agent' };
    const agent = await SideAgent.start('1.0', 'signed', false);
    const card = { ...agent.card(), signatures: [signature] };
    await sides.hub.admin('POST', '/api/v1/agents', { id: 'signed', card });
    const shown = await root('/a2a/agents/signed/.well-known/agent-card.json');
    expect(shown['name']).toBe('An agent');
    expect(JSON.stringify(shown)).not.toContain('of-the-agent');
    await agent.close();
  });

  it('card.security', async () => {
    const current = await root('/a2a/.well-known/agent-card.json');
    const legacy = await root('/.well-known/agent.json');
    expect(current['securitySchemes']['bearer']).toMatchObject({
      httpAuthSecurityScheme: { scheme: 'Bearer' },
    });
    expect(legacy['securitySchemes']['bearer']).toMatchObject({ type: 'http', scheme: 'Bearer' });
    expect(Object.keys(legacy['securitySchemes'] as object)).toEqual(
      Object.keys(current['securitySchemes'] as object),
    );
  });

  it('card.extended', async () => {
    expect(await root('/a2a/.well-known/agent-card.json')).toMatchObject({
      capabilities: { extendedAgentCard: true },
    });
    expect(await root('/.well-known/agent.json')).toMatchObject({
      supportsAuthenticatedExtendedCard: true,
    });
  });

  it('card.history-flag, card.skill-security', async () => {
    const agent = await SideAgent.start('0.3', 'flagged', false);
    const card = agent.card();
    const [skill] = card['skills'] as JsonObject[];
    const security = [{ its: ['read'] }];
    const written = {
      ...card,
      capabilities: { stateTransitionHistory: true },
      skills: [{ ...skill, security }],
    };
    const added = await sides.hub.admin('POST', '/api/v1/agents', { id: 'flagged', card: written });
    expect(added.status).toBe(201);
    const legacy = await root('/a2a/agents/flagged/.well-known/agent.json');
    expect(legacy['capabilities']).toMatchObject({ stateTransitionHistory: false });
    expect(JSON.stringify(legacy['skills'])).not.toContain('its');
    const current = await root('/a2a/agents/flagged/.well-known/agent-card.json');
    expect(JSON.stringify(current['skills'])).not.toContain('its');
    await agent.close();
  });
});

const SPOKEN: Readonly<Record<Dialect, string>> = {
  '1.0': 'JSONRPC 1.0',
  '0.3': 'JSONRPC 0.3',
  proto: 'GRPC 0.3',
};
