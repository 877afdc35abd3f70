import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { CallerTokens } from '../../src/agents/client/caller-tokens.js';
import { type Hub, startHub } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { GrpcClient, V1 } from '../support/grpc-client.js';
import type { JsonObject } from '../support/json.js';
import { ScriptedAgent } from '../support/scripted-agent.js';
import { closeClient, sdkClient, sdkRequest } from '../support/sdk-client.js';
import { copyMigratedSqlite } from '../support/sqlite-template.js';
import { TestIssuer } from '../support/test-issuer.js';

const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;

let issuer: TestIssuer;
let agent: ScriptedAgent;
let directory: string;
/** Clients call the first one, which calls the second, which calls the agent. */
let first: Hub;
let second: Hub;
/** What the first one proves itself with at the second, and who it is there. */
let hubKey: string;
let hubPrincipal: string;

beforeAll(async () => {
  [issuer, agent] = await Promise.all([TestIssuer.start(), ScriptedAgent.start()]);
  const issuers = [{ id: 'test', issuer: issuer.url, organization: 'acme' }];
  first = await startHub({ config: { auth: { issuers } } });
  directory = await mkdtemp(join(tmpdir(), 'a2a-chain-'));
  await copyMigratedSqlite(join(directory, 'hub.db'));
  const databaseUrl = `sqlite:${join(directory, 'hub.db')}`;
  // An operator makes the key of the hub, and names its principal in the configuration.
  const before = await startHub({ databaseUrl });
  const made = await before.admin('POST', '/api/v1/keys', {
    name: 'the first hub',
    organization: 'hubs',
    scopes: ['a2a'],
  });
  [hubKey, hubPrincipal] = [made.body.key as string, made.body.principalId as string];
  await before.close();
  const hubs = [{ issuer: first.url, callers: [hubPrincipal], organization: 'partner' }];
  second = await startHub({
    databaseUrl,
    config: { auth: { hubs }, grpc: { port: -1 }, routing: { defaultAgent: 'told' } },
  });
  await second.registerAgent(agent.url, { id: 'told', switches: { caller: 'signed' } });
  for (const protocolBinding of BINDINGS) {
    await first.registerAgent(second.url, {
      id: idOf(protocolBinding),
      protocolBinding,
      credentials: { authorization: `Bearer ${hubKey}` },
      switches: { caller: 'signed' },
    });
  }
});

afterAll(async () => {
  await Promise.all([first, second, agent, issuer].map((each) => each?.close()));
  await rm(directory, { recursive: true, force: true });
});

const idOf = (binding: (typeof BINDINGS)[number]): string =>
  binding.toLowerCase().replace(/[^a-z]/g, '');

/** What the agent was told, verified as it does. */
async function told(): Promise<JsonObject> {
  const keys = createRemoteJWKSet(new URL(`${second.url}/.well-known/jwks.json`));
  const token = String(agent.calls.at(-1)!.headers['a2a-hub-caller']);
  const options = { issuer: second.url, audience: agent.url, typ: 'a2a-hub-caller+jwt' };
  return (await jwtVerify(token, keys, options)).payload;
}

/** The header by which the first hub calls the second for one of its principals. */
async function header(principalId: string, url = second.url): Promise<Record<string, string>> {
  const caller = { principalId, organization: 'acme', taskId: 't', contextId: 'c', chain: null };
  return { 'a2a-hub-caller': await first.app.get(CallerTokens).issue(caller, { url }) };
}

describe('a chain of two hubs', () => {
  it.each(BINDINGS)('tells the agent over %s who asks, and through whom', async (binding) => {
    const key = await issuer.token({ aud: first.url, sub: 'alice', act: { sub: 'assistant' } });
    const client = await sdkClient(first.url, key);
    await client.sendMessage({ ...sdkRequest('go'), tenant: idOf(binding) });
    closeClient(client);
    const claims = await told();
    expect(claims).toMatchObject({
      organization: 'partner',
      sub_id: { format: 'iss_sub', iss: issuer.url, sub: 'alice' },
      act: {
        sub: expect.any(String),
        act: {
          iss: first.url,
          sub: expect.any(String),
          act: { iss: issuer.url, sub: 'assistant' },
        },
      },
    });
    const { body } = await second.admin('GET', `/api/v1/principals/${claims['sub'] as string}`);
    expect(body).toMatchObject({ organization: 'partner', identity: { issuer: first.url } });
  });

  it('names a caller without sign-in by the hub that knows it', async () => {
    await first.send('go', { tenant: 'jsonrpc' });
    expect(await told()).toMatchObject({ sub_id: { iss: first.url, sub: expect.any(String) } });
  });

  it('keeps the tasks of its callers apart, and from the hub itself', async () => {
    const [alice, bob] = [await header('alice-at-first'), await header('bob-at-first')];
    const task = await second.submit('go', {}, { key: hubKey, headers: alice });
    const id = task['id'] as string;
    const get = (headers: Record<string, string>) => second.getTask(id, { key: hubKey, headers });
    expect(await get(alice)).toMatchObject({ id });
    await expect(get(bob)).rejects.toThrow('not found');
    await expect(get({})).rejects.toThrow('not found');
    const listed = await second.get('/a2a/tasks', { key: hubKey, headers: bob });
    expect(listed.body.tasks).toEqual([]);
  });

  it('is in the audit log: the hub that called, and in whose name', async () => {
    const headers = await header('carol-at-first');
    const { task } = (await second.send('go', {}, { key: hubKey, headers })) as {
      task: { id: string };
    };
    const { body } = await second.admin('GET', '/api/v1/principals?subject=carol-at-first');
    const [carol] = body.items as JsonObject[];
    await eventually(async () => {
      const query = `resourceId=${task.id}&onBehalfOf=${carol!['id'] as string}`;
      const found = await second.admin('GET', `/api/v1/audit?${query}`);
      expect(found.body.items).toMatchObject([
        { principal: hubPrincipal, onBehalfOf: carol!['id'], organization: 'partner' },
      ]);
      expect(found.text).not.toContain('carol');
    }, 5000);
  });

  it('gives no right of administration', async () => {
    const headers = { ...(await header('alice-at-first')), authorization: `Bearer ${hubKey}` };
    for (const path of ['agents', 'keys', 'audit', 'tasks']) {
      const { status: code } = await second.get(`/api/v1/${path}`, { key: null, headers });
      expect([path, code]).toEqual([path, 403]);
    }
  });
});

describe('who brings the token of a hub', () => {
  it('and is not that hub is refused at every door, whatever rights it has', async () => {
    const headers = await header('alice-at-first');
    const admin = second.adminKey;
    for (const key of [await second.key(), admin]) {
      const answers = [
        await second.rpcRaw('GetTask', { id: 'x' }, { key, headers }),
        await second.get('/a2a/tasks', { key, headers }),
        await second.get('/api/v1/agents', { key, headers }),
      ];
      for (const { status: code, text } of answers) {
        expect([code, text]).toEqual([403, expect.stringContaining('auth.hubs')]);
      }
      const client = await GrpcClient.of(second, { key });
      const request = { tenant: '', id: 'x', historyLength: undefined };
      await expect(client.call(V1.getTask, request, headers)).rejects.toMatchObject({
        code: status.PERMISSION_DENIED,
      });
      client.close();
    }
  });

  it('and no credential of its own is not let in by it', async () => {
    const headers = await header('alice-at-first');
    expect((await second.get('/a2a/tasks', { key: null, headers })).status).toBe(401);
  });

  it('gets 401 at every door when it is for another hub', async () => {
    const headers = await header('alice-at-first', 'https://elsewhere.example');
    const http = [
      await second.rpcRaw('GetTask', { id: 'x' }, { key: hubKey, headers }),
      await second.get('/a2a/tasks', { key: hubKey, headers }),
    ];
    for (const { status: code, text } of http) {
      expect([code, text]).toEqual([401, expect.stringContaining('its aud is missing or wrong')]);
      expect(text).not.toContain(headers['a2a-hub-caller']);
    }
    const client = await GrpcClient.of(second, { key: hubKey });
    const request = { tenant: '', id: 'x', historyLength: undefined };
    await expect(client.call(V1.getTask, request, headers)).rejects.toMatchObject({
      code: status.UNAUTHENTICATED,
    });
    client.close();
  });
});

// Last: the key of the first hub is gone afterwards.
it('an open stream ends when the hub that opened it is not let in any more', async () => {
  agent.handlers['SendStreamingMessage'] = (call) =>
    void call.event({
      task: { id: 'd', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
    });
  const headers = await header('alice-at-first');
  const stream = await second.stream(
    'SendStreamingMessage',
    { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }] } },
    { key: hubKey, headers },
  );
  await stream.next();
  const [, keyId] = /^hub_([0-9a-z]+)_/.exec(hubKey)!;
  await second.admin('DELETE', `/api/v1/keys/${keyId!}`);
  expect(JSON.stringify((await stream.collect()).at(-1))).toContain('UNAUTHENTICATED');
}, 20_000);
