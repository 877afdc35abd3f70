import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAgentCardSignature } from '@a2a-js/sdk';
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, decodeProtectedHeader, flattenedVerify, importJWK } from 'jose';
import { canonicalJson } from '../../src/common/canonical-json.js';
import { Clock, SystemClock } from '../../src/common/clock.js';
import type { AgentCard } from '../../src/protocol/a2a.js';
import { ADMIN_KEY, type Hub, type HubOptions, startHub } from '../support/app.js';
import { type DatabaseSource, startPostgres } from '../support/databases.js';
import type { Json } from '../support/json.js';

const ROOT = '/.well-known/agent-card.json';
const JWKS = '/.well-known/jwks.json';
const PUBLIC_URL = 'https://hub.example.com';
const DAY = 86_400_000;

const AGENT = {
  name: 'Zähler',
  description: 'Counts. 漢字 😀',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'http://127.0.0.1:1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: {
    extensions: [{ uri: 'urn:test:x', required: false, params: { b: [1.5, ''], a: null } }],
  },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'count', name: 'Count', description: 'Counts words.', tags: ['words'] }],
  signatures: [{ protected: 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ', signature: 'AAAA' }],
};

/** The time of day, moved. */
class ShiftedClock extends SystemClock {
  shiftMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.shiftMs);
  }
}

beforeAll(() => {
  // The SDK's verifier tells of each signature that does not hold.
  jest.spyOn(console, 'debug').mockImplementation(() => undefined);
});
afterAll(() => {
  jest.restoreAllMocks();
});

describe('the cards of a hub', () => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await start();
  });
  afterAll(() => hub.close());

  const places: [string, Record<string, string>, string][] = [
    [ROOT, {}, 'union'],
    [ROOT, { 'a2a-version': '1.0' }, '1.0'],
    [ROOT, { 'a2a-version': '0.3' }, '0.3'],
    ['/.well-known/agent.json', {}, '0.3'],
    ['/a2a/.well-known/agent-card.json', {}, '1.0'],
    ['/a2a/agents/counter/.well-known/agent-card.json', {}, 'union'],
    ['/a2a/agents/counter/.well-known/agent-card.json', { 'a2a-version': '1.0' }, '1.0'],
    ['/a2a/agents/counter/.well-known/agent.json', {}, '0.3'],
  ];

  it.each(places)('%s %j are signed as they are', async (path, headers) => {
    const card = await read(hub, path, headers);
    expect(await verifiesAsServed(hub, card)).toBe(true);
    expect(await verifiesAsServed(hub, { ...card, name: 'other' })).toBe(false);
  });

  it.each(places.filter(([, , form]) => form !== '0.3'))(
    "%s %j verify by the SDK's verifier, as JSON and as its client reads them",
    async (path, headers) => {
      const card = await read(hub, path, headers);
      const verify = verifyAgentCardSignature((kid, jku) => published(hub, kid, jku));
      await verify(card as AgentCard);
      for (const legacyCompat of [{ enabled: false }, { enabled: true }]) {
        await verify(new DefaultAgentCardResolver({ legacyCompat }).normalizeAgentCard(card));
      }
      await expect(verify({ ...(card as AgentCard), name: 'other' })).rejects.toThrow();
    },
  );

  it('name the key, its algorithm and where the keys are', async () => {
    const { signatures } = await read(hub, ROOT);
    const { keys } = await read(hub, JWKS);
    expect(signatures.map((each: Json) => decodeProtectedHeader(each))).toEqual(
      signatures.map(() => ({
        alg: 'ES256',
        typ: 'JOSE',
        kid: keys[0].kid,
        jku: `${PUBLIC_URL}${JWKS}`,
      })),
    );
  });

  it("do not carry the agent's own signature", async () => {
    const { signatures } = await read(hub, '/a2a/agents/counter/.well-known/agent-card.json');
    expect(signatures.length).toBeGreaterThan(0);
    expect(JSON.stringify(signatures)).not.toContain('AAAA');
  });

  it('keep their bytes and their tag until something changes', async () => {
    const [first, second] = [await hub.get(ROOT), await hub.get(ROOT)];
    expect(second.text).toBe(first.text);
    expect(first.headers['etag']).toMatch(/^W\//);
  });
});

describe('the published keys', () => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await start();
  });
  afterAll(() => hub.close());

  it('are public, cacheable, and without private parts', async () => {
    const answer = await hub.get(JWKS, { key: null });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/jwk-set\+json/),
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    expect(answer.body).toEqual({
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: expect.stringMatching(/^[\w-]{43}$/),
          y: expect.stringMatching(/^[\w-]{43}$/),
          kid: expect.stringMatching(/^[\w-]{43}$/),
          alg: 'ES256',
          use: 'sig',
        },
      ],
    });
    const headers = { 'if-none-match': String(answer.headers['etag']) };
    expect((await hub.get(JWKS, { headers })).status).toBe(304);
  });

  it('are listed and rotated by administrators alone', async () => {
    const list = '/api/v1/signing-keys';
    const key = await hub.createKey({ scopes: ['a2a', 'agents', 'push'] });
    for (const method of ['GET', 'POST']) {
      expect((await hub.admin(method, list, undefined, key)).status).toBe(403);
    }
    expect((await hub.admin('POST', list, { publishFirst: 'yes' })).status).toBe(400);
    expect((await hub.admin('POST', list, { other: 1 })).status).toBe(400);
    expect((await hub.admin('DELETE', `${list}/none`)).status).toBe(404);
    const { body, text } = await hub.admin('GET', list);
    expect(body).toEqual({
      items: [
        {
          kid: expect.any(String),
          alg: 'ES256',
          state: 'signing',
          createdAt: expect.stringMatching(/Z$/),
          signsFrom: expect.stringMatching(/Z$/),
          revokedAt: null,
        },
      ],
      nextCursor: null,
    });
    expect(text).not.toMatch(/"d"|private/i);
  });
});

describe('rotation', () => {
  it('signs with the new key; what the old one signed holds for the overlap', async () => {
    const clock = new ShiftedClock();
    const hub = await start({ clock });
    const before = await read(hub, ROOT);
    const etag = (await hub.get(ROOT)).headers['etag'];
    const rotated = await hub.admin('POST', '/api/v1/signing-keys', {});
    expect(rotated).toMatchObject({ status: 201, body: { state: 'signing' } });
    const after = await read(hub, ROOT);
    expect(decodeProtectedHeader(after.signatures[0]).kid).toBe(rotated.body.kid);
    expect((await hub.get(ROOT)).headers['etag']).not.toBe(etag);
    for (const card of [before, after]) expect(await verifiesAsServed(hub, card)).toBe(true);
    clock.shiftMs = 7 * DAY;
    expect(await verifiesAsServed(hub, before)).toBe(false);
    expect(await verifiesAsServed(hub, after)).toBe(true);
    await hub.close();
  });

  it('needs no body, and publishes first when told so', async () => {
    const hub = await start();
    await read(hub, ROOT);
    expect((await hub.admin('POST', '/api/v1/signing-keys')).status).toBe(201);
    const { body } = await hub.admin('POST', '/api/v1/signing-keys', { publishFirst: true });
    expect(body.state).toBe('next');
    expect((await read(hub, JWKS)).keys).toHaveLength(3);
    const card = await read(hub, ROOT);
    expect(decodeProtectedHeader(card.signatures[0]).kid).not.toBe(body.kid);
    await hub.close();
  });

  it('ends what a revoked key signed at once', async () => {
    const hub = await start();
    const before = await read(hub, ROOT);
    const { kid } = decodeProtectedHeader(before.signatures[0]);
    expect((await hub.admin('DELETE', `/api/v1/signing-keys/${kid}`)).status).toBe(204);
    expect(await verifiesAsServed(hub, before)).toBe(false);
    expect(await verifiesAsServed(hub, await read(hub, ROOT))).toBe(true);
    const { items } = (await hub.admin('GET', '/api/v1/signing-keys')).body;
    expect(items.map((key: Json) => key.state)).toEqual(['signing', 'revoked']);
    await hub.close();
  });
});

describe('the keys of one database', () => {
  it('outlive a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-keys-'));
    const databaseUrl = `sqlite:${join(folder, 'hub.db')}`;
    const first = await start({ databaseUrl });
    const card = await read(first, ROOT);
    const { keys } = await read(first, JWKS);
    await first.close();
    const second = await startHub({ databaseUrl });
    expect((await read(second, JWKS)).keys).toEqual(keys);
    expect(await verifiesAsServed(second, card)).toBe(true);
    await second.close();
    await rm(folder, { recursive: true });
  });

  describe('on PostgreSQL', () => {
    let database: DatabaseSource;
    let hubs: Hub[];

    beforeAll(async () => {
      database = await startPostgres();
      const databaseUrl = await database.migratedUrl();
      hubs = [await start({ databaseUrl }), await startHub(optionsOf({ databaseUrl }))];
    });
    afterAll(async () => {
      for (const hub of hubs ?? []) await hub.close();
      await database?.stop();
    });

    it('are made once, and shared', async () => {
      const sets = await Promise.all(hubs.map((hub) => read(hub, JWKS)));
      expect(sets[0].keys).toHaveLength(1);
      expect(sets[1]).toEqual(sets[0]);
      const [one, two] = await Promise.all(hubs.map((hub) => hub.get(ROOT)));
      expect(await verifiesAsServed(hubs[1]!, one!.body)).toBe(true);
      expect(await verifiesAsServed(hubs[0]!, two!.body)).toBe(true);
      // Their signatures differ, their tags do not.
      expect(one!.headers['etag']).toBe(two!.headers['etag']);
    });

    it('rotate in all of them', async () => {
      const { body } = await hubs[0]!.admin('POST', '/api/v1/signing-keys', {});
      expect((await read(hubs[1]!, JWKS)).keys[0].kid).toBe(body.kid);
    });
  });
});

it('signs nothing when card.sign is off, and still publishes its keys', async () => {
  const hub = await start({ sign: false });
  for (const path of [ROOT, '/.well-known/agent.json', '/a2a/.well-known/agent-card.json']) {
    expect(await read(hub, path)).not.toHaveProperty('signatures');
  }
  expect((await hub.get(ROOT)).headers['etag']).not.toMatch(/^W/);
  expect((await read(hub, JWKS)).keys).toHaveLength(1);
  await hub.close();
});

interface Start {
  readonly clock?: Clock;
  readonly databaseUrl?: string;
  readonly sign?: boolean;
}

/** A hub with one agent, under a public address that is not the one it listens at. */
async function start(options: Start = {}): Promise<Hub> {
  const hub = await startHub(optionsOf(options));
  const { status, text } = await hub.admin('POST', '/api/v1/agents', {
    id: 'counter',
    card: AGENT,
  });
  if (status !== 201) throw new Error(text);
  return hub;
}

function optionsOf({ clock, databaseUrl, sign = true }: Start): HubOptions {
  return {
    config: { publicUrl: PUBLIC_URL, card: { sign }, auth: { adminKey: ADMIN_KEY } },
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(clock ? { providers: [{ provide: Clock, useValue: clock }] } : {}),
  };
}

async function read(hub: Hub, path: string, headers: Record<string, string> = {}): Promise<Json> {
  const answer = await hub.get(path, { key: null, version: null, headers });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The published key that a header names; the test's hub is not at its public address. */
async function published(hub: Hub, kid: string, jku: string | undefined): Promise<never> {
  expect(jku).toBe(`${PUBLIC_URL}${JWKS}`);
  const { keys } = await read(hub, JWKS);
  return (await importJWK(keys.find((key: Json) => key.kid === kid))) as never;
}

/** Whether a signature holds for the document as it is, by what the specification says alone. */
async function verifiesAsServed(hub: Hub, { signatures, ...card }: Json): Promise<boolean> {
  const keys = createLocalJWKSet(await read(hub, JWKS));
  const payload = Buffer.from(canonicalJson(card)).toString('base64url');
  const outcomes = await Promise.allSettled(
    signatures.map((each: Json) => flattenedVerify({ ...each, payload }, keys)),
  );
  return outcomes.some(({ status }) => status === 'fulfilled');
}
