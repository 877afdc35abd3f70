import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CallerTokens } from '../../src/agents/client/caller-tokens.js';
import { type ConfigOverrides, ListenerTls } from '../../src/config/index.js';
import { type Hub, startHub } from '../support/app.js';
import { type Issued, TestAuthority } from '../support/authority.js';
import { GrpcClient, grpcTarget, V1 } from '../support/grpc-client.js';
import { HubClient } from '../support/hub-client.js';
import { pem } from '../support/pem.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { copyMigratedSqlite } from '../support/sqlite-template.js';

const SPIFFE = 'spiffe://acme.example/hub';
const TO_AGENT = { message: { metadata: { agentId: 'scripted' } } };

let [staying, leaving]: TestAuthority[] = [];
let certificate: Issued;
let agent: ScriptedAgent;
let directory: string;
let caFile: string;
/** Calls the second one, to which it proves itself by a certificate of the authority that leaves. */
let first: Hub;
let second: Hub;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  [staying, leaving] = await Promise.all([
    TestAuthority.make('Stays'),
    TestAuthority.make('Leaves'),
  ]);
  const host = await staying.issue('hub', ['127.0.0.1']);
  certificate = await leaving.issue('hub', [], { uris: [SPIFFE] });
  [agent, first] = await Promise.all([
    ScriptedAgent.start({ live: { manual: true, chunks: 1000 } }),
    startHub(),
  ]);
  directory = await mkdtemp(join(tmpdir(), 'a2a-hub-certificates-'));
  await copyMigratedSqlite(join(directory, 'hub.db'));
  const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
  caFile = join(directory, 'ca.pem');
  const both = `${staying.certificate}${leaving.certificate}`;
  await writeFile(caFile, both);
  const clientCa = { text: both.trim(), file: caFile };
  const tls = { certificate: pem(host.certificate), key: pem(host.key) };
  const config = (hubs: object[]): ConfigOverrides => ({
    server: { tls: { ...tls, clientCa } },
    grpc: { port: -1, tlsCertificate: tls.certificate, tlsKey: tls.key, tlsClientCa: clientCa },
    auth: {
      certificates: [{ name: 'hubs', spiffeId: SPIFFE, organization: 'hubs', scopes: ['a2a'] }],
      hubs: hubs as NonNullable<ConfigOverrides['auth']>['hubs'] & object[],
    },
  });
  // Who the first hub is here is known once it has called.
  const before = await startHub({ databaseUrl, config: config([]) });
  const once = httpCaller(before.url);
  await once.rpcRaw('ListTasks', {}, { key: null });
  await once.disconnect();
  const { body } = await before.admin('GET', '/api/v1/principals?organization=hubs');
  const [{ id }] = body.items as [{ id: string }];
  await before.close();
  const hubs = [{ issuer: first.url, callers: [id], organization: 'partner' }];
  second = await startHub({ databaseUrl, config: config(hubs) });
  await second.registerAgent(agent.url, { id: 'scripted' });
});

beforeEach(() => trust(staying!, leaving!));

afterAll(async () => {
  for (const close of closing) await close();
  await Promise.all([first, second, agent].map((each) => each?.close()));
  await rm(directory, { recursive: true, force: true });
});

/** From now on the second hub trusts these alone. */
async function trust(...authorities: readonly TestAuthority[]): Promise<void> {
  await writeFile(caFile, authorities.map((each) => each.certificate).join(''));
  const { http, grpc } = second.app.get(ListenerTls);
  for (const each of [http, grpc, http, grpc]) await each.look(new Date());
}

function httpCaller(url: string): HubClient {
  const { certificate: cert, key } = certificate;
  const client = new HubClient(url, '', { cert, key });
  closing.push(() => client.disconnect());
  return client;
}

function grpcCaller(): GrpcClient {
  const [cert, key] = [Buffer.from(certificate.certificate), Buffer.from(certificate.key)];
  const client = new GrpcClient(grpcTarget(second), {
    key: null,
    credentials: credentials.createSsl(Buffer.from(staying!.certificate), key, cert),
  });
  closing.push(() => client.close());
  return client;
}

/** How the first hub calls the second for a caller of its own. */
async function asAlice(): Promise<{ key: null; headers: Record<string, string> }> {
  const caller = {
    ...{ principalId: 'alice', organization: 'acme' },
    ...{ taskId: 't', contextId: 'c', chain: null },
  };
  const token = await first.app.get(CallerTokens).issue(caller, { url: second.url });
  return { key: null, headers: { 'a2a-hub-caller': token } };
}

it('a stream ends with the certificate of its hub, though the first connection with that is gone', async () => {
  const [gone, kept] = [httpCaller(second.url), httpCaller(second.url)];
  const options = await asAlice();
  const task = await gone.submit('go', TO_AGENT, options);
  const id = task['id'] as string;
  await gone.stream('SubscribeToTask', { id }, options).then((stream) => stream.next());
  const stream = await kept.stream('SubscribeToTask', { id }, options);
  await stream.next();
  await gone.disconnect();
  await trust(staying!);
  const events = await stream.collect();
  expect(JSON.stringify(events.at(-1))).toContain('The hub that called is not let in any more');
}, 20_000);

it('so it does over gRPC', async () => {
  const [gone, kept] = [grpcCaller(), grpcCaller()];
  const { headers } = await asAlice();
  const task = await httpCaller(second.url).submit('go', TO_AGENT, { key: null, headers });
  const request = { tenant: '', id: task['id'] as string };
  const open = async (client: GrpcClient) => {
    const stream = client.stream(V1.subscribeToTask, request, headers);
    const failed = new Promise((resolve) => stream.once('error', resolve));
    await new Promise((resolve) => stream.once('data', resolve));
    return { stream, failed };
  };
  const before = await open(gone);
  const { failed } = await open(kept);
  before.stream.cancel();
  await before.failed;
  gone.close();
  await trust(staying!);
  expect(await failed).toMatchObject({
    code: status.UNAUTHENTICATED,
    details: expect.stringContaining('The hub that called is not let in any more'),
  });
}, 20_000);
