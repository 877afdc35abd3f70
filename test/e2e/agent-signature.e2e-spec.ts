import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { generateAgentCardSignature } from '@a2a-js/sdk';
import { importJWK } from 'jose';
import { jcs } from '../../src/agents/card/signed-forms.js';
import { parseCard } from '../../src/agents/card/parse-card.js';
import { AgentCard } from '../../src/protocol/a2a.js';
import { type Hub, startHub } from '../support/app.js';
import { CardSigner, forged } from '../support/card-signer.js';
import { type HttpListener, listenOnLoopback } from '../support/http-listener.js';
import type { Json, JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

const WELL_KNOWN = '/.well-known/agent-card.json';

/** A server whose every document a test decides; it counts what it is asked. */
class CardServer {
  readonly documents = new Map<string, unknown>();
  readonly requested: string[] = [];

  private constructor(private readonly listener: HttpListener) {}

  static async start(): Promise<CardServer> {
    const holder: { server?: CardServer } = {};
    const listener = await listenOnLoopback((request, response) => {
      const path = request.url ?? '';
      holder.server?.requested.push(path);
      const document = holder.server?.documents.get(path);
      response.writeHead(document === undefined ? 404 : 200, {
        'content-type': 'application/json',
      });
      response.end(typeof document === 'string' ? document : JSON.stringify(document ?? {}));
    });
    holder.server = new CardServer(listener);
    return holder.server;
  }

  get url(): string {
    return this.listener.url;
  }

  serve(card: unknown): this {
    this.documents.set(WELL_KNOWN, card);
    return this;
  }

  /** A card of 1.0 whose agent is here. */
  card(changes: JsonObject = {}): JsonObject {
    return {
      name: 'Signed agent',
      description: '',
      version: '1.0.0',
      supportedInterfaces: [
        { url: `${this.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: false, extensions: [] },
      securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } } },
      securityRequirements: [{ schemes: { key: { list: ['read'] } } }],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: [],
      skills: [{ id: 'work', name: 'Größe', description: '', tags: ['work'] }],
      ...changes,
    };
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}

describe('the signature of a card', () => {
  let hub: Hub;
  let server: CardServer;
  let signer: CardSigner;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    hub = await startHub();
    server = await CardServer.start();
    signer = await CardSigner.make('key-1');
  });

  afterEach(async () => {
    server.documents.clear();
    server.requested.length = 0;
    for (const close of closing.splice(0).reverse()) await close();
  });

  afterAll(async () => {
    await hub.close();
    await server.close();
  });

  async function hubWith(agents: object): Promise<Hub> {
    const other = await startHub({ config: { agents } });
    closing.push(() => other.close());
    return other;
  }

  const register = (fields: JsonObject = {}, at: Hub = hub) =>
    at.admin('POST', '/api/v1/agents', { cardUrl: server.url, ...fields });

  const outcome = (answer: { status: number; body: Json }) => [
    answer.status,
    answer.body.signature?.outcome,
    answer.body.signature?.keySource,
  ];

  /** What is said of a card that is refused for its signature. */
  function expectRefused(answer: { status: number; body: Json }, why: RegExp): void {
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'card.signatures']);
    expect(answer.body.detail).toMatch(why);
  }

  describe('is verified', () => {
    it('with keys pinned for the agent, and shown with the key it was made by', async () => {
      server.serve(await signer.sign(server.card()));
      const answer = await register({ cardKeys: signer.keySet });
      expect(outcome(answer)).toEqual([201, 'verified', 'agent']);
      expect(answer.body.signature).toMatchObject({ keyId: 'key-1', algorithm: 'ES256' });
      expect(answer.body.signature.keyThumbprint).toMatch(/^[\w-]{43}$/);
      const shown = await hub.admin('GET', `/api/v1/agents/${answer.body.id}`);
      expect(shown.body.signature).toEqual(answer.body.signature);
      expect(shown.body.cardKeys).toEqual(signer.keySet);
    });

    it('with a key set pinned by its address', async () => {
      server.serve(await signer.sign(server.card()));
      server.documents.set('/keys', signer.keySet);
      const answer = await register({ cardKeys: { jwksUrl: `${server.url}/keys` } });
      expect(outcome(answer)).toEqual([201, 'verified', 'agent']);
    });

    it('with the keys the configuration trusts for its origin, also of a card in the request', async () => {
      const other = await CardServer.start();
      closing.push(() => other.close());
      other.documents.set('/keys', signer.keySet);
      const trustedKeys = [{ origin: server.url, jwksUrl: `${other.url}/keys` }];
      const trusting = await hubWith({ cardSignatures: 'require', trustedKeys });
      const card = await signer.sign(server.card());
      server.serve(card);
      expect(outcome(await register({}, trusting))).toEqual([201, 'verified', 'origin']);
      const given = await trusting.admin('POST', '/api/v1/agents', { card });
      expect(outcome(given)).toEqual([201, 'verified', 'origin']);
    });

    it('with a key set that it names on its own origin', async () => {
      server.documents.set('/jwks.json', signer.keySet);
      server.serve(await signer.sign(server.card(), { jku: `${server.url}/jwks.json` }));
      expect(outcome(await register())).toEqual([201, 'verified', 'card']);
    });

    it.each(['ES384', 'ES512', 'RS256', 'PS256', 'EdDSA'])('for %s', async (algorithm) => {
      const other = await CardSigner.make('other', algorithm);
      server.serve(await other.sign(server.card()));
      const answer = await register({ cardKeys: other.keySet });
      expect(outcome(answer)).toEqual([201, 'verified', 'agent']);
      expect(answer.body.signature.algorithm).toBe(algorithm);
    });

    it('as the SDK makes it of a card in memory', async () => {
      const typed = AgentCard.fromJSON(server.card());
      const key = await importJWK(signer.secretKey, 'ES256');
      const sign = generateAgentCardSignature(key as never, {
        alg: 'ES256',
        kid: 'key-1',
        typ: 'JOSE',
      });
      server.serve(AgentCard.toJSON(await sign(typed)));
      expect(outcome(await register({ cardKeys: signer.keySet }))).toEqual([
        201,
        'verified',
        'agent',
      ]);
    });

    it('over the whole document of a 0.3 card', async () => {
      const card = {
        name: 'Old',
        description: '',
        url: `${server.url}/rpc`,
        protocolVersion: '0.3.0',
        preferredTransport: 'JSONRPC',
        version: '1',
        capabilities: {},
        defaultInputModes: [],
        defaultOutputModes: [],
        skills: [],
      };
      server.serve(await signer.sign(card, {}, 'document'));
      expect(outcome(await register({ cardKeys: signer.keySet }))).toEqual([
        201,
        'verified',
        'agent',
      ]);
      const moved = await signer.sign(card, {}, 'document');
      server.serve({ ...moved, url: `${server.url}/elsewhere` });
      expectRefused(await register({ cardKeys: signer.keySet }), /does not match/);
    });

    it('when one of several is, as while keys change', async () => {
      const next = await CardSigner.make('key-2');
      const both = await next.sign(await signer.sign(server.card()));
      server.serve(both);
      const answer = await register({ cardKeys: next.keySet });
      expect([...outcome(answer), answer.body.signature.keyId]).toEqual([
        201,
        'verified',
        'agent',
        'key-2',
      ]);
    });
  });

  describe('that does not match', () => {
    it('refuses the card, whatever was changed', async () => {
      const signed = await signer.sign(server.card());
      for (const change of [
        { name: 'Another' },
        { skills: [] },
        { securitySchemes: {}, securityRequirements: [] },
        { supportedInterfaces: [{ url: `${server.url}/x`, protocolBinding: 'JSONRPC' }] },
      ]) {
        server.serve({ ...signed, ...change });
        expectRefused(await register({ cardKeys: signer.keySet }), /invalid: .*does not match/);
      }
      expect((await hub.admin('GET', '/api/v1/agents?text=Another')).body.items).toEqual([]);
    });

    it('refuses it with the keys of its own origin as well', async () => {
      const other = await CardSigner.make('key-1');
      server.documents.set('/others.json', other.keySet);
      server.serve(await signer.sign(server.card(), { jku: `${server.url}/others.json` }));
      expectRefused(await register(), /does not match/);
    });

    it('is not looked at when that is off', async () => {
      const careless = await hubWith({ cardSignatures: 'off' });
      server.serve({ ...(await signer.sign(server.card())), name: 'Another' });
      const answer = await register({ cardKeys: signer.keySet }, careless);
      expect(outcome(answer)).toEqual([201, 'unchecked', null]);
    });
  });

  describe('that covers only a part of the card', () => {
    it('does not vouch for the rest: an address put beside it is not called', async () => {
      const signed = await signer.sign(server.card());
      server.serve({ ...signed, url: `${server.url}/evil`, preferredTransport: 'JSONRPC' });
      const answer = await register({ cardKeys: signer.keySet });
      expect(outcome(answer)).toEqual([201, 'verified', 'agent']);
      expect(JSON.stringify(answer.body)).not.toContain('/evil');
      expect(answer.body.card.skills[0].name).toBe('Größe');
      server.serve({ ...server.card(), url: `${server.url}/evil`, preferredTransport: 'JSONRPC' });
      expect(JSON.stringify((await register()).body)).toContain('/evil');
    });
  });

  describe('without a key that is trusted', () => {
    it('is shown as unverified, and no signature as unsigned', async () => {
      server.serve(server.card());
      expect(outcome(await register())).toEqual([201, 'unsigned', null]);
      server.serve(await signer.sign(server.card()));
      const answer = await register();
      expect(outcome(answer)).toEqual([201, 'unverified', null]);
      expect(answer.body.signature).toMatchObject({ keyId: 'key-1', algorithm: 'ES256' });
    });

    it('does not lead the hub to a key set elsewhere', async () => {
      const elsewhere = await CardServer.start();
      closing.push(() => elsewhere.close());
      elsewhere.documents.set('/jwks.json', signer.keySet);
      server.serve(await signer.sign(server.card(), { jku: `${elsewhere.url}/jwks.json` }));
      const answer = await register();
      expect(outcome(answer)).toEqual([201, 'unverified', null]);
      expect(answer.body.signature.reason).toContain('not on the origin');
      expect(elsewhere.requested).toEqual([]);
    });

    it('takes no algorithm that needs no private key', async () => {
      const card = server.card();
      const secret = JSON.stringify(signer.publicKey);
      const header = { alg: 'HS256', typ: 'JOSE', kid: 'key-1' };
      const input = `${forged(header)['protected'] as string}.${Buffer.from(jcs(card)).toString('base64url')}`;
      const mac = createHmac('sha256', secret).update(input).digest();
      for (const signature of [
        forged({ alg: 'none', kid: 'key-1' }),
        forged(header, mac),
        forged({ kid: 'key-1' }),
        forged({ alg: 'ES256', kid: 'key-1', crit: ['b64'], b64: false }),
        { protected: '!!', signature: '!!' },
      ]) {
        server.serve({ ...card, signatures: [signature] });
        server.documents.set('/jwks.json', signer.keySet);
        expect(outcome(await register())).toEqual([201, 'unverified', null]);
        expectRefused(await register({ cardKeys: signer.keySet }), /unverified/);
      }
    });

    it('is refused where verified cards are required, as is an unsigned one', async () => {
      const demanding = await hubWith({ cardSignatures: 'require' });
      server.serve(server.card());
      expectRefused(await register({}, demanding), /unsigned: .*verified cards only/);
      server.serve(await signer.sign(server.card()));
      expectRefused(await register({}, demanding), /unverified: .*verified cards only/);
      expect(outcome(await register({ cardKeys: signer.keySet }, demanding))).toEqual([
        201,
        'verified',
        'agent',
      ]);
    });

    it('is refused where keys are pinned for the agent, as is an unsigned one', async () => {
      const other = await CardSigner.make('key-2');
      server.serve(await signer.sign(server.card()));
      expectRefused(await register({ cardKeys: other.keySet }), /no trusted key.*pinned/);
      server.serve(server.card());
      expectRefused(await register({ cardKeys: other.keySet }), /not signed.*pinned/);
    });
  });

  describe('whose keys cannot be had', () => {
    it.each([
      ['a refused address', 'http://10.0.0.1/keys', /may not be read/],
      ['nobody there', 'http://127.0.0.1:1/keys', /no connection/],
    ])('says so: %s', async (_name, jwksUrl, why) => {
      server.serve(await signer.sign(server.card()));
      expectRefused(await register({ cardKeys: { jwksUrl } }), why);
    });

    it.each<[string, unknown, RegExp]>([
      ['no key set', {}, /not a JWK Set/],
      ['no JSON', '<html>', /JSON/],
      ['something huge', JSON.stringify({ keys: [], x: 'x'.repeat(300_000) }), /larger than/],
    ])('says so: %s', async (_name, document, why) => {
      const served = await CardServer.start();
      closing.push(() => served.close());
      served.serve(await signer.sign(served.card()));
      served.documents.set('/keys', document);
      const fields = { cardUrl: served.url, cardKeys: { jwksUrl: `${served.url}/keys` } };
      expectRefused(await register(fields), why);
    });
  });

  describe('of a card that is read again', () => {
    async function registered(): Promise<string> {
      server.documents.set('/jwks.json', signer.keySet);
      server.serve(await signed());
      const answer = await register();
      expect(outcome(answer)).toEqual([201, 'verified', 'card']);
      return answer.body.id as string;
    }

    const signed = (changes: JsonObject = {}, by = signer) =>
      by.sign(server.card(changes), { jku: `${server.url}/jwks.json` });

    const refresh = (id: string) => hub.admin('POST', `/api/v1/agents/${id}:refresh`);

    it('shows another key among the changes, and not that the same one signed again', async () => {
      const id = await registered();
      const next = await CardSigner.make('key-2');
      server.serve(await signed());
      expect((await refresh(id)).body.changes).toEqual([]);
      server.serve(await signed({}, next));
      expectRefused(await refresh(id), /no trusted key.*stays in use/);
      await hub.admin('PATCH', `/api/v1/agents/${id}`, {
        cardKeys: { keys: [signer.publicKey, next.publicKey] },
      });
      const { body } = await refresh(id);
      expect(body.signature).toMatchObject({ outcome: 'verified', keyId: 'key-2' });
      expect(body.changes).toEqual([
        expect.objectContaining({
          field: 'signature',
          before: expect.objectContaining({ keyId: 'key-1' }),
          after: expect.objectContaining({ keyId: 'key-2' }),
        }),
      ]);
    });

    it('keeps the card before when it no longer verifies, and says so', async () => {
      const id = await registered();
      const before = (await hub.admin('GET', `/api/v1/agents/${id}`)).body;
      server.serve({ ...(await signed()), name: 'Changed' });
      expectRefused(await refresh(id), /invalid.*stays in use/);
      server.serve(server.card({ name: 'Changed' }));
      expectRefused(await refresh(id), /unsigned.*stays in use/);
      const { body: after } = await hub.admin('GET', `/api/v1/agents/${id}`);
      // A look at its health may fall between the two.
      const { trouble } = after;
      expect(trouble).toMatch(/^Its card was refused, and the one before is used: /);
      expect({ ...after, cardTrouble: null, health: null, trouble: null }).toEqual({
        ...{ ...before, health: null },
      });
      expect(after.cardTrouble).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('stays in use'),
      });
      server.serve(await signed({ name: 'Changed' }));
      expect((await refresh(id)).body.name).toBe('Changed');
    });
  });

  describe('and the keys that are pinned later', () => {
    it('are held against the card the hub has, which stays in use', async () => {
      const next = await CardSigner.make('key-1');
      server.serve(await signer.sign(server.card()));
      const { id } = (await register()).body;
      const patch = (cardKeys: unknown) => hub.admin('PATCH', `/api/v1/agents/${id}`, { cardKeys });
      expect(outcome(await patch(signer.keySet))).toEqual([200, 'verified', 'agent']);
      expect(outcome(await patch(next.keySet))).toEqual([200, 'invalid', null]);
      expect(outcome(await patch(null))).toEqual([200, 'unverified', null]);
    });

    it('leave of the card what they vouch for: an address beside it is called no more', async () => {
      const evil = await ScriptedAgent.start();
      closing.push(() => evil.close());
      const dead = {
        url: 'http://127.0.0.1:1/',
        protocolBinding: 'JSONRPC',
        protocolVersion: '1.0',
      };
      const signed = await signer.sign(server.card({ supportedInterfaces: [dead] }));
      server.serve({ ...signed, url: `${evil.url}/evil`, preferredTransport: 'JSONRPC' });
      const credentials = { authorization: 'Bearer for the agent' };
      const added = await register({ credentials, protocolVersion: '0.3' });
      expect(outcome(added)).toEqual([201, 'unverified', null]);
      expect(added.body.endpoint.url).toBe(`${evil.url}/evil`);
      const patch = (changes: JsonObject) =>
        hub.admin('PATCH', `/api/v1/agents/${added.body.id}`, changes);
      const pinned = await patch({ cardKeys: signer.keySet });
      expect([pinned.status, pinned.text]).toEqual([400, expect.stringContaining('1.0')]);
      const verified = await patch({ cardKeys: signer.keySet, protocolVersion: null });
      expect(outcome(verified)).toEqual([200, 'verified', 'agent']);
      expect(verified.body.endpoint.url).toBe(dead.url);
      expect(verified.text).not.toContain('/evil');
      await hub.send('hi', { tenant: added.body.id });
      expect(evil.calls).toEqual([]);
    });

    it('do not let an unsigned card in once they are taken away again', async () => {
      server.serve(await signer.sign(server.card()));
      const { id } = (await register({ cardKeys: signer.keySet })).body;
      const without = await hub.admin('PATCH', `/api/v1/agents/${id}`, { cardKeys: null });
      expect(without.body.signature).toMatchObject({ outcome: 'unverified', wasVerified: true });
      server.serve(server.card());
      const refreshed = await hub.admin('POST', `/api/v1/agents/${id}:refresh`);
      expectRefused(refreshed, /unsigned.*stays in use/);
    });

    it('are public and well-formed', async () => {
      server.serve(server.card());
      for (const [cardKeys, field] of [
        [{ keys: [signer.secretKey] }, 'cardKeys.keys[0]'],
        [{ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, 'cardKeys.keys[0]'],
        [{ keys: [{ kty: 'EC', crv: 'secp256k1', x: 'a', y: 'b' }] }, 'cardKeys.keys[0]'],
        [{ keys: [] }, 'cardKeys.keys'],
        [{ keys: 'none' }, 'cardKeys.keys'],
        [{}, 'cardKeys'],
        [{ ...signer.keySet, jwksUrl: 'https://x.example' }, 'cardKeys'],
        [{ jwksUrl: 'file:///etc/passwd' }, 'cardKeys.jwksUrl'],
        [{ ...signer.keySet, more: 1 }, 'cardKeys.more'],
        ['keys', 'cardKeys'],
      ] as const) {
        const answer = await register({ cardKeys });
        expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
        expect(answer.text).not.toContain(signer.secretKey.d!);
      }
    });
  });

  it('never goes out again with the card the hub makes of it', async () => {
    server.serve(await signer.sign(server.card()));
    const { id } = (await register({ cardKeys: signer.keySet })).body;
    const { text } = await hub.get(`/a2a/agents/${id}/.well-known/agent-card.json`);
    const { signatures = [] } = JSON.parse(text) as { signatures?: { signature: string }[] };
    const [original] = parseCard(server.documents.get(WELL_KNOWN)).signatures;
    expect(signatures.map(({ signature }) => signature)).not.toContain(original!.signature);
  });
});
