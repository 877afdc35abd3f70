import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSdkAgent } from '../support/agents.js';
import { type Hub, startHub } from '../support/app.js';
import { type Issued, TestAuthority } from '../support/authority.js';
import { eventually } from '../support/eventually.js';
import type { JsonObject } from '../support/json.js';
import { MtlsFront } from '../support/mtls-front.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { TokenServer } from '../support/token-server.js';

let directory: string;
let hub: Hub;
let authority: TestAuthority;
let own: Issued;
let other: Issued;
let agent: ScriptedAgent;
let front: MtlsFront;
let tokens: TokenServer;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'a2a-hub-certificates-'));
  hub = await startHub({
    config: { secrets: { references: { files: [{ allow: directory, organizations: [] }] } } },
  });
  authority = await TestAuthority.make();
  [own, other] = await Promise.all([authority.issue('hub'), authority.issue('hub of tomorrow')]);
  front = await MtlsFront.start(authority, () => agent.port);
  agent = await ScriptedAgent.start({ card: { supportedInterfaces: [jsonRpcAt(front)] } });
  tokens = await TokenServer.start('client_secret_basic');
});

afterAll(async () => {
  await Promise.all([hub, front, agent, tokens].map((each) => each.close()));
  await rm(directory, { recursive: true });
});

afterEach(async () => {
  await hub.admin('DELETE', '/api/v1/agents/z');
  front.dropConnections();
  front.callers.splice(0);
  agent.calls.splice(0);
  for (const close of closing.splice(0)) await close();
});

const jsonRpcAt = ({ url }: MtlsFront): JsonObject => ({
  url: `${url}/rpc`,
  protocolBinding: 'JSONRPC',
  protocolVersion: '1.0',
});
const shown = (changes: JsonObject = {}): JsonObject => ({
  type: 'mtls',
  certificate: own.certificate,
  privateKey: own.key,
  ca: authority.certificate,
  ...changes,
});
const check = (authentication: JsonObject, more: JsonObject = {}) =>
  hub.admin('POST', '/api/v1/agents:check', { cardUrl: front.url, authentication, ...more });
const register = (authentication: JsonObject, more: JsonObject = {}) =>
  hub.admin('POST', '/api/v1/agents', {
    id: 'z',
    cardUrl: front.url,
    authentication,
    ...more,
  });
const say = () => hub.send('hi', { tenant: 'z' });

describe('an agent that asks for a client certificate', () => {
  it('has its card read and is called with it; the key is never shown', async () => {
    const made = await register(shown(), { credentials: { authorization: 'Bearer beside' } });
    expect(made.status).toBe(201);
    expect(made.body.authentication).toMatchObject({
      type: 'mtls',
      certificate: { subject: 'CN=hub', issuer: 'CN=Test authority' },
      ca: [{ subject: 'CN=Test authority' }],
    });
    expect(Date.parse(made.body.authentication.certificate.notAfter)).toBeGreaterThan(Date.now());
    expect(made.body.credentialOrigins).toEqual([front.url]);
    await say();
    expect(agent.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer beside']);
    expect(new Set(front.callers)).toEqual(new Set(['hub']));
    const audit = await hub.admin('GET', '/api/v1/audit?limit=100');
    const again = await hub.admin('GET', '/api/v1/agents/z');
    for (const { text } of [made, audit, again]) {
      expect(text).not.toMatch(/PRIVATE KEY|privateKey"/);
    }
  });

  it('is not reached without it, nor where its own is of another authority', async () => {
    const bare = await hub.admin('POST', '/api/v1/agents:check', { cardUrl: front.url });
    expect(bare.status).toBe(422);
    expect((await check(shown({ ca: null }))).status).toBe(422);
    expect(front.callers).not.toContain('hub');
  });

  it('gets an access token beside it', async () => {
    const { tokenUrl, clientId, clientSecret } = tokens;
    const made = await register(
      shown({
        ...{ type: 'oauth2-client-credentials', tokenUrl, clientId, clientSecret },
        scopes: ['webhooks'],
      }),
    );
    expect(made.status).toBe(201);
    await say();
    expect(await tokens.knows(agent.calls[0]?.headers.authorization)).toBe(true);
  });

  it('gets another certificate on a connection of its own after a change', async () => {
    await register(shown());
    await say();
    const { certificate, key: privateKey } = other;
    const { body } = await hub.admin('PATCH', '/api/v1/agents/z', {
      authentication: shown({ certificate, privateKey }),
    });
    expect(body.authentication.certificate.subject).toBe('CN=hub of tomorrow');
    await say();
    expect(front.callers.at(-1)).toBe('hub of tomorrow');
  });

  it('gets that of an organization on connections of its own', async () => {
    await register(shown());
    const { certificate, key: privateKey } = other;
    const path = '/api/v1/agents/z/credentials/red';
    const given = await hub.admin('PUT', path, {
      authentication: shown({ certificate, privateKey }),
      credentials: { 'x-team': 'red' },
    });
    expect(given.status).toBe(201);
    front.callers.splice(0);
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((organization) => hub.createKey({ organization })),
    );
    const count = 4;
    for (let round = 0; round < count; round++) {
      await Promise.all([red, blue].map((key) => hub.send('hi', { tenant: 'z' }, { key: key! })));
    }
    expect(agent.calls).toHaveLength(2 * count);
    // What comes over a connection is of whoever it was made for.
    const teams = new Map<string, Set<unknown>>();
    for (const { headers, response } of agent.calls) {
      const caller = front.callerAt(response.req.socket.remotePort);
      teams.set(caller, (teams.get(caller) ?? new Set()).add(headers['x-team']));
    }
    expect(Object.fromEntries(teams)).toEqual({
      hub: new Set([undefined]),
      'hub of tomorrow': new Set(['red']),
    });
  });

  it('is not shown it at a server that it was not given for', async () => {
    await register(shown());
    const elsewhere = await MtlsFront.start(authority, () => agent.port);
    closing.push(() => elsewhere.close());
    const endpointOverride = `${elsewhere.url}/rpc`;
    const { body } = await hub.admin('PATCH', '/api/v1/agents/z', { endpointOverride });
    expect([body.authentication, body.credentialOrigins]).toEqual([null, []]);
    await say().catch(() => undefined);
    expect(elsewhere.callers).not.toContain('hub');
  });

  it('follows certificate and key where they are kept, once both have changed', async () => {
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => join(directory, name));
    await writeFile(certificate!, own.certificate);
    await writeFile(key!, other.key);
    const referred = shown({
      certificate: { secretRef: `file:${certificate}` },
      privateKey: { secretRef: `file:${key}` },
    });
    const refused = await check(referred);
    expect(refused.body.errors).toEqual([
      expect.objectContaining({ field: 'authentication.privateKey' }),
    ]);
    await writeFile(key!, own.key);
    const made = await eventually(async () => {
      const answer = await register(referred);
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(made.body.authentication.certificate.subject).toBe('CN=hub');
    await say();
    await writeFile(certificate!, other.certificate);
    await say();
    expect(agent.calls).toHaveLength(2);
    await writeFile(key!, other.key);
    await eventually(async () => {
      await say();
      expect(front.callers.at(-1)).toBe('hub of tomorrow');
    });
  });

  it.each([
    [{ certificate: 'no certificate' }, 'authentication.certificate'],
    [{ certificate: null }, 'authentication.certificate'],
    [{ privateKey: null }, 'authentication.privateKey'],
    [{ privateKey: 'no key' }, 'authentication.privateKey'],
    [{ ca: 'none' }, 'authentication.ca'],
    [{ tokenUrl: 'https://login.example/token' }, 'authentication.tokenUrl'],
    [{ certificate: 'x'.repeat(70_000) }, 'authentication.certificate'],
    [{ privateKey: { secretRef: 'file:/etc/shadow' } }, 'authentication.privateKey'],
  ])('is refused with %#', async (changes, field) => {
    const { status, body, text } = await check(shown(changes));
    expect([400, 422]).toContain(status);
    expect(body.errors.map((each: JsonObject) => each['field'])).toContain(field);
    expect(text).not.toContain('PRIVATE');
  });

  it('is refused with the key of another, an expired certificate, or a server without TLS', async () => {
    const foreign = await check(shown({ privateKey: other.key }));
    expect(foreign.body.errors).toEqual([
      {
        field: 'authentication.privateKey',
        description: 'is not the private key of the certificate',
      },
    ]);
    const old = await authority.issue('hub', [], { days: [-3, -1] });
    const expired = await check(shown({ certificate: old.certificate, privateKey: old.key }));
    expect(expired.body.errors).toEqual([
      {
        field: 'authentication.certificate',
        description: expect.stringContaining('has expired on'),
      },
    ]);
    const plain = await ScriptedAgent.start();
    closing.push(() => plain.close());
    const open = await check(shown(), { cardUrl: plain.url });
    expect(open.body.errors).toEqual([
      {
        field: 'authentication.certificate',
        description: `needs TLS, and ${plain.url}/rpc has none`,
      },
    ]);
  });

  it.each(['HTTP+JSON', 'GRPC'] as const)('is called with it over %s', async (binding) => {
    const inner = await startSdkAgent({ binding });
    const served = (await (
      await fetch(`${inner.url}/.well-known/agent-card.json`)
    ).json()) as JsonObject;
    const [first] = served['supportedInterfaces'] as { url: string }[];
    const isGrpc = binding === 'GRPC';
    const port = Number(new URL(isGrpc ? `http://${first!.url}` : first!.url).port);
    const outside = await MtlsFront.start(authority, () => port);
    closing.push(
      () => inner.close(),
      () => outside.close(),
    );
    const url = isGrpc ? `127.0.0.1:${outside.port}` : first!.url.replace(inner.url, outside.url);
    const card = {
      ...served,
      supportedInterfaces: [{ ...first, url }],
      securitySchemes: { tls: { mtlsSecurityScheme: {} } },
      securityRequirements: [{ schemes: { tls: {} } }],
    };
    const { body: bare } = await hub.admin('POST', '/api/v1/agents:check', { card });
    expect(bare.security).toEqual([
      {
        schemes: ['tls'],
        isMet: false,
        missing: ['a client certificate (mTLS): set authentication.certificate'],
      },
    ]);
    const { body: checked } = await check(shown(), { cardUrl: undefined, card, probe: true });
    expect(checked.probe).toMatchObject({ outcome: 'answered', answer: 'completed' });
    const made = await register(shown(), { cardUrl: undefined, card });
    expect([made.status, made.body.security[0].isMet]).toEqual([201, true]);
    expect(JSON.stringify(await say())).toContain('echo: hi');
    expect(new Set(outside.callers)).toEqual(new Set(['hub']));
  });
});
