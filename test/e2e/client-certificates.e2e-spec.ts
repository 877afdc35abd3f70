import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CertificateCaller, ConfigOverrides } from '../../src/config/index.js';
import { ListenerTls } from '../../src/config/index.js';
import { type Hub, type HttpAnswer, startHub } from '../support/app.js';
import { type Issued, TestAuthority } from '../support/authority.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { HubClient } from '../support/hub-client.js';
import type { JsonObject } from '../support/json.js';
import { pem } from '../support/pem.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { selfSigned } from '../support/self-signed.js';

const SPIFFE = 'spiffe://acme.example/ns/prod';
const CALLERS: readonly CertificateCaller[] = [
  { name: 'agents', spiffeId: `${SPIFFE}/*`, organization: 'acme', scopes: ['a2a', 'push'] },
  { name: 'partner', dnsName: 'client.partner.example', organization: 'partner', scopes: ['a2a'] },
  { name: 'operators', subject: 'CN=ops,O=Acme', organization: 'acme', scopes: ['admin'] },
];
const TO_AGENT = { message: { metadata: { agentId: 'scripted' } } };
const UNKNOWN = { tenant: '', id: 'unknown', historyLength: undefined };
const SECOND = 1 / 86_400;

let [root, other]: TestAuthority[] = [];
let host: Issued;
let hub: Hub;
let agent: ScriptedAgent;

/** A caller without a key, with this certificate; more than one for a chain. */
const closing: (() => unknown)[] = [];
function callerAt(url: string, { certificate, key }: Partial<Issued> = {}): HubClient {
  const client = new HubClient(url, '', {
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  });
  closing.push(() => client.disconnect());
  return client;
}

function grpcCaller(target: string, issued?: Issued): GrpcClient {
  const pair = issued ? [Buffer.from(issued.key), Buffer.from(issued.certificate)] : [null, null];
  const client = new GrpcClient(target, {
    key: null,
    credentials: credentials.createSsl(Buffer.from(root!.certificate), pair[0], pair[1]),
  });
  closing.push(() => client.close());
  return client;
}

const list = (client: HubClient, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  client.rpcRaw('ListTasks', {}, { key: null, headers });
const card = (client: HubClient): Promise<HttpAnswer> =>
  client.get('/.well-known/agent-card.json', { key: null });
const agentOf = (path: string, days?: readonly [number, number]): Promise<Issued> =>
  root!.issue('agent', [], { uris: [`${SPIFFE}/${path}`], ...(days && { days }) });

/** The status of a request on a connection of its own, and whether that went on with the session of another. */
function listWith(agent: Agent): Promise<{ status: number; isResumed: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { 'a2a-version': '1.0' };
    const options = { agent, headers, rejectUnauthorized: false };
    const call = request(`${hub.url}/a2a/tasks`, options, (response) => {
      const isResumed = (response.socket as TLSSocket).isSessionReused();
      // TLS 1.3 gives sessions behind the handshake.
      response.resume().once('close', () => resolve({ status: response.statusCode!, isResumed }));
    });
    call.once('error', reject).end();
  });
}

function config(tls: { readonly ca: string }, callers = CALLERS): ConfigOverrides {
  const [certificate, key] = [pem(host.certificate), pem(host.key)];
  const clientCa = pem(tls.ca);
  return {
    server: { tls: { certificate, key, clientCa } },
    grpc: { port: -1, tlsCertificate: certificate, tlsKey: key, tlsClientCa: clientCa },
    auth: { certificates: callers },
  };
}

beforeAll(async () => {
  [root, other] = await Promise.all([TestAuthority.make('Acme'), TestAuthority.make('Other')]);
  host = await root.issue('hub', ['127.0.0.1']);
  hub = await startHub({ config: config({ ca: root.certificate }) });
  agent = await ScriptedAgent.start({ live: { manual: true, chunks: 1000 } });
  await hub.registerAgent(agent.url, { id: 'scripted' });
});

afterAll(async () => {
  for (const close of closing) await close();
  await hub.close();
  await agent.close();
});

/** See docs/tls.md. */
const HIDES_INTERMEDIATES = process.version === 'v24.21.0';

describe('a caller with a certificate that the hub knows', () => {
  it('is let in over HTTP and gRPC alike, as one principal of its organization', async () => {
    const build = await agentOf('build');
    const client = callerAt(hub.url, build);
    const task = await client.submit('go', TO_AGENT, { key: null });
    const renewed = callerAt(hub.url, await agentOf('build'));
    expect(await renewed.getTask(task['id'] as string, { key: null })).toMatchObject({
      id: task['id'],
    });
    const rpc = grpcCaller(grpcTarget(hub), build);
    expect(await rpc.call(V1.getTask, { ...UNKNOWN, id: task['id'] as string })).toMatchObject({
      id: task['id'],
    });

    const neighbour = await list(callerAt(hub.url, await agentOf('deploy')));
    expect(neighbour).toMatchObject({ status: 200, body: { result: { tasks: [] } } });
    const principals = await hub.admin('GET', '/api/v1/principals?organization=acme');
    const signIns = principals.body.items.map((each: { identity: unknown }) => each.identity);
    expect(signIns).toContainEqual(
      expect.objectContaining({ issuer: 'certificate:agents', subject: `${SPIFFE}/build` }),
    );
  });

  it('is known by a DNS name or its subject too, and may do what its entry says', async () => {
    const partner = callerAt(hub.url, await root!.issue('any', ['client.partner.example']));
    expect(await list(partner)).toMatchObject({ status: 200 });
    const keys = (client: HubClient): Promise<HttpAnswer> =>
      client.request('GET', '/api/v1/keys', undefined, { key: null });
    expect(await keys(partner)).toMatchObject({ status: 403 });
    const operator = callerAt(hub.url, await root!.issue('', [], { subject: 'O=Acme, CN=ops' }));
    expect(await keys(operator)).toMatchObject({ status: 200 });
  });

  it('is known over intermediate certificates beside the authority, which it need not send', async () => {
    const between = await root!.intermediate('Between');
    const issued = await between.issue('agent', [], { uris: [`${SPIFFE}/beside`] });
    const ca = [root!, between].map((each) => each.certificate).join('\n');
    const second = await startHub({ config: config({ ca }) });
    closing.push(() => second.close());
    expect((await list(callerAt(second.url, issued))).status).toBe(200);
    expect((await list(callerAt(hub.url, issued))).status).toBe(401);
  });

  it('is known over intermediate certificates, also in TLS 1.2 and on resumed sessions', async () => {
    const first = await root!.intermediate('First');
    const second = await first.intermediate('Second');
    const issued = await second.issue('agent', [], { uris: [`${SPIFFE}/deep`] });
    const certificate = [issued, second, first].map((each) => each.certificate).join('\n');
    const shown = await list(callerAt(hub.url, { ...issued, certificate }));
    if (HIDES_INTERMEDIATES) {
      expect([shown.status, shown.text]).toEqual([401, expect.stringContaining('docs/tls.md')]);
      return;
    }
    expect(shown.status).toBe(200);
    expect(await list(callerAt(hub.url, issued))).toMatchObject({ status: 401 });
    const rpc = grpcCaller(grpcTarget(hub), { ...issued, certificate });
    expect(await failureOf(rpc.call(V1.getTask, UNKNOWN))).toMatchObject({ code: 'NOT_FOUND' });
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      // It opens a connection for each request, and resumes the session of the one before.
      const agent = new Agent({ cert: certificate, key: issued.key, maxVersion });
      const answers: { status: number; isResumed: boolean }[] = [];
      for (let times = 0; times < 3; times += 1) answers.push(await listWith(agent));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(answers.at(-1)!.isResumed).toBe(true);
      agent.destroy();
    }
  });

  it('shows a key instead when it has one', async () => {
    const issued = await agentOf('keyed');
    const client = callerAt(hub.url, issued);
    const task = await hub.submit('of the key', TO_AGENT);
    const id = task['id'] as string;
    expect(await client.getTask(id, { key: await hub.key() })).toMatchObject({ id });
    const wrong = await client.rpcRaw('ListTasks', {}, { key: 'hub_x_wrong' });
    expect(wrong).toMatchObject({ status: 401 });
    const rpc = new GrpcClient(grpcTarget(hub), {
      key: await hub.key(),
      credentials: credentials.createSsl(
        Buffer.from(root!.certificate),
        Buffer.from(issued.key),
        Buffer.from(issued.certificate),
      ),
    });
    expect(await rpc.call(V1.getTask, { ...UNKNOWN, id })).toMatchObject({ id });
    rpc.close();
  });

  it('is no page of another origin, whose browser sends the certificate by itself', async () => {
    const issued = await root!.issue('', [], { subject: 'O=Acme, CN=ops' });
    const client = callerAt(hub.url, issued);
    const disable = (headers: Record<string, string>): Promise<HttpAnswer> =>
      client.request('POST', '/api/v1/principals/nobody:disable', undefined, {
        key: null,
        headers,
      });
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const refused = await disable(headers);
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('Pages of other origins');
      expect(await list(client, headers)).toMatchObject({ status: 403 });
    }
    for (const headers of [{}, { origin: hub.url }, { 'sec-fetch-site': 'same-origin' }] as Record<
      string,
      string
    >[]) {
      expect(await disable(headers)).toMatchObject({ status: 404 });
    }
  });

  it('is named in the card that callers of 1.0 read', async () => {
    const { body } = await card(callerAt(hub.url));
    expect(body.securitySchemes.mtls).toHaveProperty('mtlsSecurityScheme');
    expect(body.securityRequirements).toContainEqual({ schemes: { mtls: {} } });
    const old = await hub.get('/.well-known/agent-card.json', { key: null, version: null });
    expect(old.text).not.toContain('mtls');
  });
});

describe('a caller with another certificate', () => {
  const refusals: [string, () => Promise<Issued>, string][] = [
    ['an expired one', () => agentOf('old', [-2, -1]), 'has expired'],
    ['one that is not valid yet', () => agentOf('early', [1, 2]), 'is not valid before'],
    [
      'one of another authority',
      () => other!.issue('agent', [], { uris: [`${SPIFFE}/x`] }),
      'is not signed by an authority',
    ],
    [
      'one that signed itself',
      () => Promise.resolve(selfSigned()),
      'is not signed by an authority',
    ],
    [
      'one for servers',
      () => root!.issue('agent', [], { uris: [`${SPIFFE}/x`], usages: ['1.3.6.1.5.5.7.3.1'] }),
      'is not for clients',
    ],
    ['one of nobody', () => root!.issue('stranger'), 'is of no caller that the hub knows'],
    [
      'one of a name like a known one',
      () => root!.issue('x', [], { uris: ['spiffe://acme.example/ns/production/x'] }),
      'is of no caller',
    ],
  ];

  it.each(refusals)('%s is refused, and reaches what is public', async (_case, issue, text) => {
    const issued = await issue();
    const client = callerAt(hub.url, issued);
    const refused = await list(client);
    expect(refused.status).toBe(401);
    expect(refused.text).toContain(`The client certificate ${text}`);
    expect(await card(client)).toMatchObject({ status: 200 });
    expect(await list(client, { authorization: `Bearer ${await hub.key()}` })).toMatchObject({
      status: 200,
    });
    const rpc = grpcCaller(grpcTarget(hub), issued);
    expect(await failureOf(rpc.call(V1.getTask, UNKNOWN))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('none at all is told what is needed', async () => {
    const refused = await list(callerAt(hub.url));
    expect(refused.status).toBe(401);
    expect(refused.text).toContain('or a client certificate');
    expect(await card(callerAt(hub.url))).toMatchObject({ status: 200 });
    const rpc = grpcCaller(grpcTarget(hub));
    expect(await failureOf(rpc.call(V1.getTask, UNKNOWN))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('of an endless chain ends its own connection or is refused', async () => {
    let last = root!;
    const chain: string[] = [];
    for (let depth = 0; depth < 12; depth += 1) {
      last = await last.intermediate(`Level ${depth}`);
      chain.unshift(last.certificate);
    }
    const issued = await last.issue('agent', [], { uris: [`${SPIFFE}/far`] });
    const certificate = [issued.certificate, ...chain].join('\n');
    expect(await list(callerAt(hub.url, { ...issued, certificate }))).toMatchObject({
      status: 401,
    });
  });
});

describe('open connections and streams', () => {
  it('a stream ends when its certificate does, over HTTP and gRPC', async () => {
    const issued = await agentOf('short', [-1, 4 * SECOND]);
    const client = callerAt(hub.url, issued);
    const task = await client.submit('go', TO_AGENT, { key: null });
    const id = task['id'] as string;
    const stream = await client.stream('SubscribeToTask', { id }, { key: null });
    const rpc = grpcCaller(grpcTarget(hub), issued);
    const failure = failureOf(rpc.events(V1.subscribeToTask, { tenant: '', id }));
    const events = await stream.collect();
    expect(JSON.stringify(events.at(-1))).toContain('The client certificate has expired');
    expect(await failure).toMatchObject({ code: 'UNAUTHENTICATED' });
    // On the connection that is open since before.
    expect((await list(client)).text).toContain('has expired');
    const again = callerAt(hub.url, await agentOf('short'));
    expect(await again.getTask(id, { key: null })).toMatchObject({ id });
  });

  it('count no longer when their authority is taken away', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'a2a-hub-ca-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, `${root!.certificate}${other!.certificate}`);
    const clientCa = { text: `${root!.certificate}${other!.certificate}`.trim(), file };
    const base = config({ ca: '' });
    const one = await startHub({
      config: {
        ...base,
        server: { tls: { ...base.server!.tls, clientCa } },
        grpc: { ...base.grpc, tlsClientCa: clientCa },
      },
    });
    const issue = (authority: TestAuthority): Promise<Issued> =>
      authority.issue('agent', [], { uris: [`${SPIFFE}/a`] });
    const [mine, theirs] = await Promise.all([issue(root!), issue(other!)]);
    const [staying, leaving] = [callerAt(one.url, mine), callerAt(one.url, theirs)];
    const rpc = grpcCaller(grpcTarget(one), theirs);
    const code = async (): Promise<string> => (await failureOf(rpc.call(V1.getTask, UNKNOWN))).code;
    for (const each of [staying, leaving]) expect(await list(each)).toMatchObject({ status: 200 });
    expect(await code()).toBe('NOT_FOUND');
    await one.registerAgent(agent.url, { id: 'scripted' });
    const task = await leaving.submit('go', TO_AGENT, { key: null });
    const id = task['id'] as string;
    const stream = await leaving.stream('SubscribeToTask', { id }, { key: null });
    const call = failureOf(rpc.events(V1.subscribeToTask, { tenant: '', id }));
    await writeFile(file, root!.certificate);
    const { http, grpc } = one.app.get(ListenerTls);
    for (const each of [http, grpc, http, grpc]) await each.look(new Date());
    expect(await list(staying)).toMatchObject({ status: 200 });
    expect(await list(leaving)).toMatchObject({ status: 401 });
    expect(await list(callerAt(one.url, theirs))).toMatchObject({ status: 401 });
    expect(await code()).toBe('UNAUTHENTICATED');
    // What was open goes, too.
    expect(JSON.stringify((await stream.collect()).at(-1))).toContain('not signed by an authority');
    expect(await call).toMatchObject({ code: 'UNAUTHENTICATED' });
    rpc.close();
    await one.close();
    await rm(folder, { recursive: true });
  });

  it('of a principal that is disabled are refused', async () => {
    const client = callerAt(hub.url, await agentOf('leaver'));
    expect(await list(client)).toMatchObject({ status: 200 });
    const { body } = await hub.admin('GET', '/api/v1/principals?organization=acme');
    const { id } = body.items.find((each: { identity?: { subject: string } }) =>
      each.identity?.subject.endsWith('/leaver'),
    );
    expect(await hub.admin('POST', `/api/v1/principals/${id}:disable`)).toMatchObject({
      status: 200,
    });
    await eventually(async () => {
      const refused = await list(client);
      expect(refused.status).toBe(401);
      expect(refused.text).toContain('is disabled');
    });
  });
});

describe('a certificate that a proxy names', () => {
  const encoded = ({ certificate }: Pick<Issued, 'certificate'>): string =>
    `:${new X509Certificate(certificate).raw.toString('base64')}:`;
  let behind: Hub;
  let elsewhere: Hub;

  beforeAll(async () => {
    const proxied = (proxies: readonly string[]): ConfigOverrides => ({
      server: { tls: { clientCa: pem(root!.certificate) } },
      grpc: { port: -1, tlsClientCa: pem(root!.certificate) },
      auth: { certificates: CALLERS, certificateProxies: proxies },
    });
    [behind, elsewhere] = await Promise.all([
      startHub({ config: proxied(['127.0.0.0/8']) }),
      startHub({ config: proxied(['10.0.0.0/8', '::1']) }),
    ]);
  });

  afterAll(() => Promise.all([behind.close(), elsewhere.close()]));

  it('lets its caller in, over HTTP and gRPC, with its intermediates', async () => {
    const below = await root!.intermediate('Below');
    const issued = await below.issue('agent', [], { uris: [`${SPIFFE}/proxied`] });
    const headers = {
      'client-cert': encoded(issued),
      'client-cert-chain': `${encoded(below)}, ${encoded(root!)}`,
    };
    const client = callerAt(behind.url);
    for (let times = 0; times < 2; times += 1) {
      expect(await list(client, headers)).toMatchObject({ status: 200 });
    }
    const { 'client-cert': own } = headers;
    expect(await list(client, { 'client-cert': own })).toMatchObject({ status: 401 });
    const rpc = new GrpcClient(grpcTarget(behind), { key: null });
    expect(await failureOf(rpc.call(V1.getTask, UNKNOWN, headers))).toMatchObject({
      code: 'NOT_FOUND',
    });
    rpc.close();
  });

  it('is verified again', async () => {
    const client = callerAt(behind.url);
    const cases: [Issued, string][] = [
      [await agentOf('old', [-2, -1]), 'has expired'],
      [await agentOf('early', [1, 2]), 'is not valid before'],
      [await other!.issue('agent', [], { uris: [`${SPIFFE}/x`] }), 'is not signed by an authority'],
      [selfSigned(), 'is not signed by an authority'],
      [await root!.issue('stranger'), 'is of no caller that the hub knows'],
    ];
    for (const [issued, text] of cases) {
      const refused = await list(client, { 'client-cert': encoded(issued) });
      expect(refused.status).toBe(401);
      expect(refused.text).toContain(text);
    }
    expect(await list(client)).toMatchObject({ status: 401 });
  });

  it('is refused when it is no certificate', async () => {
    const good = encoded(await agentOf('x'));
    const client = callerAt(behind.url);
    for (const headers of [
      { 'client-cert': 'nonsense' },
      { 'client-cert': '' },
      { 'client-cert': `${good}, ${good}` },
      { 'client-cert': good, 'client-cert-chain': Array(9).fill(':AAAA:').join() },
      { 'client-cert-chain': good },
    ] as Record<string, string>[]) {
      const refused = await list(client, headers);
      expect(refused.body.error.code).toBe(-32600);
      expect(refused.text).toContain('Client-Cert');
    }
  });

  it('is refused from any other address, with a key too, but not where nobody is asked for', async () => {
    const headers = { 'client-cert': encoded(await agentOf('forged')) };
    const client = callerAt(elsewhere.url);
    const refused = await list(client, headers);
    expect(refused.body.error.code).toBe(-32600);
    expect(refused.text).toContain('auth.certificateProxies');
    const withKey = await elsewhere.rpcRaw('ListTasks', {}, { headers });
    expect(withKey.body.error.code).toBe(-32600);
    const admin = await client.request('GET', '/api/v1/keys', undefined, { key: null, headers });
    expect(admin).toMatchObject({ status: 400 });
    const health = await client.get('/health/ready', { key: null, headers });
    expect(health.status).toBe(200);
    const entries = await elsewhere.admin('GET', '/api/v1/audit?action=auth.sign-in');
    expect(
      entries.body.items.map(({ details }: { details: JsonObject }) => details),
    ).toContainEqual(
      expect.objectContaining({ cause: 'forged-certificate', reason: 'INVALID_REQUEST' }),
    );
    const rpc = new GrpcClient(grpcTarget(elsewhere), { key: null });
    const failure = await failureOf(rpc.call(V1.getTask, UNKNOWN, headers));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT' });
    rpc.close();
  });

  it('counts alone: the certificate of the proxy itself is no caller', async () => {
    const base = config({ ca: root!.certificate });
    const auth = { ...base.auth, certificateProxies: ['127.0.0.1'] };
    const both = await startHub({ config: { ...base, auth } });
    const proxy = callerAt(both.url, await agentOf('proxy'));
    expect(await list(proxy)).toMatchObject({ status: 401 });
    const headers = { 'client-cert': encoded(await agentOf('caller')) };
    expect(await list(proxy, headers)).toMatchObject({ status: 200 });
    const { body } = await both.admin('GET', '/api/v1/principals?organization=acme');
    const subjects = body.items.map(
      (each: { identity: { subject: string } }) => each.identity.subject,
    );
    expect(subjects).toEqual([`${SPIFFE}/caller`]);
    await both.close();
  });

  it('means nothing where no caller has one', async () => {
    const plain = await startHub();
    const headers = { 'client-cert': 'anything' };
    expect(await plain.rpcRaw('ListTasks', {}, { headers })).toMatchObject({ status: 200 });
    expect(await list(callerAt(plain.url), headers)).toMatchObject({ status: 401 });
    await plain.close();
  });
});
