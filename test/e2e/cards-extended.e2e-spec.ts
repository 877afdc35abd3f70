import { verifyAgentCardSignature } from '@a2a-js/sdk';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, flattenedVerify, importJWK } from 'jose';
import { canonicalJson } from '../../src/common/canonical-json.js';
import type { AgentCard } from '../../src/protocol/a2a.js';
import { type Hub, startHub } from '../support/app.js';
import { type Binding, BindingError, allBindings } from '../support/bindings.js';
import { GrpcClient, V0, V1, failureOf } from '../support/grpc-client.js';
import type { Json } from '../support/json.js';

const PUBLIC_CARD = '/a2a/.well-known/agent-card.json';
const BINDINGS = ['JSON-RPC 1.0', 'JSON-RPC 0.3', 'HTTP+JSON 1.0', 'HTTP+JSON 0.3'].concat([
  'gRPC 1.0',
  'gRPC 0.3',
]);

const JSON_PROFILE = 'application/json; profile=a2a-json';

let hub: Hub;
let bindings: Map<string, Binding>;
let acme: string;
let other: string;

beforeAll(async () => {
  // The SDK's verifier tells of each signature that does not hold.
  jest.spyOn(console, 'debug').mockImplementation(() => undefined);
  hub = await startHub({ config: { grpc: { port: -1 } } });
  await register('open', {});
  await register('secret', { organizations: ['acme'] });
  await register('off', { enabled: false });
  acme = await hub.createKey({ organization: 'acme' });
  other = await hub.createKey({ organization: 'other' });
  bindings = new Map(allBindings(hub).map((binding) => [binding.name, binding]));
});

afterAll(async () => {
  for (const binding of bindings.values()) binding.close();
  await hub.close();
  jest.restoreAllMocks();
});

it('is declared in every form of the public card, which shows what is open to everybody', async () => {
  const modern = await card(PUBLIC_CARD);
  expect(modern.capabilities.extendedAgentCard).toBe(true);
  const legacy = await card('/.well-known/agent.json');
  expect(legacy.supportsAuthenticatedExtendedCard).toBe(true);
  const union = await card('/.well-known/agent-card.json');
  expect(union).toMatchObject({
    supportsAuthenticatedExtendedCard: true,
    capabilities: { extendedAgentCard: true },
  });
  for (const each of [modern, legacy, union]) expect(skillsOf(each)).toEqual(['open.do']);
  const path = '/a2a/agents/secret/.well-known/agent-card.json';
  const [hidden, unknown] = [path, path.replace('secret', 'nobody')].map((url) =>
    hub.get(url, { key: acme }),
  );
  expect((await hidden)!.status).toBe(404);
  expect((await hidden)!.text).toBe((await unknown)!.text);
});

describe.each(BINDINGS)('over %s', (name) => {
  it('shows exactly the skills the caller may use', async () => {
    const binding = bindings.get(name)!;
    expect(skillsOf(await binding.extendedCard({ key: acme }))).toEqual(['open.do', 'secret.do']);
    expect(skillsOf(await binding.extendedCard({ key: other }))).toEqual(['open.do']);
    await hub.admin('PATCH', '/api/v1/agents/secret', { organizations: null });
    expect(skillsOf(await binding.extendedCard({ key: other }))).toEqual(['open.do', 'secret.do']);
    await hub.admin('PATCH', '/api/v1/agents/secret', { organizations: ['acme'] });
    expect(skillsOf(await binding.extendedCard({ key: other }))).toEqual(['open.do']);
  });

  it('needs a key', async () => {
    const refused = await refusalOf(bindings.get(name)!.extendedCard({ key: null }));
    expect(JSON.stringify(refused)).toMatch(/Authentication required|API key/);
  });

  it('is signed', async () => {
    const shown = await bindings.get(name)!.extendedCard({ key: acme });
    expect((shown['signatures'] as Json[]).length).toBeGreaterThan(0);
    if (!name.endsWith('1.0')) return;
    const { keys } = await card('/.well-known/jwks.json');
    await verifyAgentCardSignature(
      async (kid) => (await importJWK(keys.find((key: Json) => key.kid === kid))) as never,
    )(shown as unknown as AgentCard);
  });
});

describe('its signatures', () => {
  const REST = [
    '/a2a/extendedAgentCard',
    '/a2a/agents/secret/extendedAgentCard',
    '/a2a/v1/card',
    '/v1/card',
    '/a2a/agents/secret/v1/card',
    '/agent/authenticatedExtendedCard',
    '/a2a/agent/authenticatedExtendedCard',
    '/a2a/agents/secret/agent/authenticatedExtendedCard',
  ];

  it.each(REST.flatMap((path) => [[path, '*/*'] as const, [path, JSON_PROFILE] as const]))(
    'hold over what is served at %s to Accept: %s',
    async (path, accept) => {
      const { body } = await hub.get(path, { key: acme, version: null, headers: { accept } });
      expect(await holdsAsServed(body)).toBe(true);
      expect(await holdsAsServed({ ...body, version: '0' })).toBe(false);
    },
  );

  it.each([
    ['1.0', 'GetExtendedAgentCard'],
    ['0.3', 'agent/getAuthenticatedExtendedCard'],
  ])('hold over JSON-RPC %s', async (version, method) => {
    expect(await holdsAsServed(await hub.rpc(method, undefined, { key: acme, version }))).toBe(
      true,
    );
  });
});

describe('of one agent', () => {
  const MODERN = ['/a2a/agents/{id}/extendedAgentCard', '/a2a/{id}/extendedAgentCard'];
  const LEGACY = ['/a2a/agents/{id}/v1/card', '/a2a/agents/{id}/agent/authenticatedExtendedCard'];
  const get = (path: string, id: string, key: string): ReturnType<Hub['get']> =>
    hub.get(path.replace('{id}', id), { key, version: null });

  it.each([...MODERN, ...LEGACY])('is at %s for who may use the agent', async (path) => {
    const { status, body, headers } = await get(path, 'secret', acme);
    expect({ status, name: body.name }).toEqual({ status: 200, name: 'Agent secret' });
    expect(skillsOf(body)).toEqual(['do']);
    expect(headers['cache-control']).toMatch(/no-store|private/);
  });

  it.each([...MODERN, ...LEGACY])(
    'is not at %s for others, as if there were none',
    async (path) => {
      const answers = await Promise.all(
        ['secret', 'off', 'nobody'].map((id) => get(path, id, other)),
      );
      for (const { status } of answers) expect(status).toBe(400);
      const texts = ['secret', 'off', 'nobody'].map((id, i) =>
        answers[i]!.text.replaceAll(id, '…'),
      );
      expect(new Set(texts).size).toBe(1);
    },
  );

  it('is the card of the tenant over JSON-RPC and gRPC', async () => {
    const params = { tenant: 'secret' };
    const shown = await hub.rpc('GetExtendedAgentCard', params, { key: acme });
    expect(shown).toMatchObject({ name: 'Agent secret', signatures: expect.any(Array) });
    await expect(hub.rpc('GetExtendedAgentCard', params, { key: other })).rejects.toThrow(
      /-32602 /,
    );
    const path = '/a2a/agents/secret';
    const legacy = await hub.rpc(
      'agent/getAuthenticatedExtendedCard',
      {},
      {
        key: acme,
        path,
        version: null,
      },
    );
    expect(legacy).toMatchObject({ name: 'Agent secret', url: `${hub.url}${path}` });
    const client = await GrpcClient.of(hub, { key: acme });
    expect(await client.call(V1.getExtendedAgentCard, params)).toMatchObject({
      name: 'Agent secret',
      supportedInterfaces: expect.arrayContaining([
        expect.objectContaining({ protocolBinding: 'GRPC', tenant: 'secret' }),
      ]),
    });
    client.close();
  });
});

it('is a plain HTTP resource of 0.2.5 beside its url', async () => {
  const answer = await hub.get('/agent/authenticatedExtendedCard', { key: acme, version: null });
  expect(answer.status).toBe(200);
  expect(skillsOf(answer.body)).toEqual(['open.do', 'secret.do']);
  const refused = await hub.get('/agent/authenticatedExtendedCard', { key: null, version: null });
  expect(refused.status).toBe(401);
  expect(refused.headers['www-authenticate']).toBeDefined();
});

it('is neither declared nor served when nobody needs a key', async () => {
  const open = await startHub({ config: { auth: { mode: 'none' }, grpc: { port: -1 } } });
  const { body } = await open.get(PUBLIC_CARD, { key: null });
  expect(body.capabilities.extendedAgentCard).toBe(false);
  const legacyBody = (await open.get('/.well-known/agent.json', { key: null })).body;
  expect(legacyBody.supportsAuthenticatedExtendedCard).toBe(false);
  const call = async (method: string): Promise<number> =>
    (await open.rpcRaw(method, {}, { key: null, version: null })).body.error.code;
  expect(await call('GetExtendedAgentCard')).toBe(-32004);
  expect(await call('agent/getAuthenticatedExtendedCard')).toBe(-32007);
  const rest = await open.get('/a2a/extendedAgentCard', { key: null });
  expect(rest.body.error.details[0].reason).toBe('UNSUPPORTED_OPERATION');
  const legacyRest = await open.get('/a2a/v1/card', { key: null, version: null });
  expect(legacyRest.body.code).toBe(-32007);
  const client = await GrpcClient.of(open, { key: null });
  const refusals = [
    await failureOf(client.call(V1.getExtendedAgentCard, { tenant: '' })),
    await failureOf(client.call(V0.getAgentCard, {})),
  ];
  expect(refusals.map(({ code }) => code)).toEqual(['FAILED_PRECONDITION', 'FAILED_PRECONDITION']);
  client.close();
  await open.close();
});

async function register(id: string, fields: Json): Promise<void> {
  const answer = await hub.admin('POST', '/api/v1/agents', {
    id,
    card: {
      name: `Agent ${id}`,
      description: 'An agent.',
      version: '1.0.0',
      supportedInterfaces: [
        { url: 'http://127.0.0.1:1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: {},
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'do', name: 'Do', description: 'Does.', tags: ['do'] }],
    },
    ...fields,
  });
  if (answer.status !== 201) throw new Error(answer.text);
}

async function card(path: string): Promise<Json> {
  const answer = await hub.get(path, { key: null, version: null });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Whether one of its signatures holds over the very document, by RFC 8785 alone. */
async function holdsAsServed({ signatures, ...shown }: Json): Promise<boolean> {
  const keys = createLocalJWKSet((await card('/.well-known/jwks.json')) as never);
  const payload = Buffer.from(canonicalJson(shown)).toString('base64url');
  const outcomes = await Promise.allSettled(
    signatures.map((each: Json) => flattenedVerify({ ...each, payload } as never, keys)),
  );
  return outcomes.some(({ status }) => status === 'fulfilled');
}

function skillsOf(shown: Json): string[] {
  return shown['skills'].map(({ id }: Json) => id);
}

async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const thrown: unknown = await call.then(
    () => expect('it').toBe('refused'),
    (error) => error,
  );
  return thrown instanceof BindingError ? thrown.refusal : thrown;
}
