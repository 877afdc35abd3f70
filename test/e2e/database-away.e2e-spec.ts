import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { startPostgres } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { failureOf, GrpcClient, V1 } from '../support/grpc-client.js';
import { PostgresRelay } from '../support/postgres-relay.js';

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let relay: PostgresRelay;
let hub: Hub;
let grpc: GrpcClient;

beforeAll(async () => {
  postgres = await startPostgres();
  relay = await PostgresRelay.start(await postgres.migratedUrl());
  hub = await startHub({ databaseUrl: relay.url, config: { grpc: { port: -1 } } });
  grpc = await GrpcClient.of(hub);
  await hub.key();
  relay.goDown();
});
afterAll(async () => {
  grpc?.close();
  await hub?.close();
  await relay?.close();
  await postgres?.stop();
});

const AWAY = 'The hub cannot use its database at the moment; try again.';

describe('while PostgreSQL is away', () => {
  it.each([
    ['GetTask', { id: 'none' }],
    ['ListTasks', {}],
    ['CancelTask', { id: 'none' }],
    ['SendMessage', { message: userMessage('go', { taskId: 'none' }) }],
    ['GetExtendedAgentCard', {}],
    ['ListTaskPushNotificationConfigs', { taskId: 'none' }],
  ])('answers %s over JSON-RPC with 503 and when to try again', async (method, params) => {
    expect(await hub.rpcRaw(method, params)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: { code: -32603, data: [{ reason: 'UNAVAILABLE' }] } },
    });
  });

  it('answers HTTP+JSON and the admin API so', async () => {
    expect(await hub.rest('GET', '/a2a/tasks')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: { code: 503, status: 'UNAVAILABLE' } },
    });
    for (const path of ['agents', 'tasks', 'organizations', 'keys', 'audit', 'push/configs']) {
      expect(await hub.admin('GET', `/api/v1/${path}`)).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { status: 503, detail: AWAY },
      });
    }
    const made = await hub.admin('POST', '/api/v1/organizations', { id: 'acme', name: 'Acme' });
    expect(made.status).toBe(503);
  });

  it('answers gRPC so', async () => {
    expect(await failureOf(grpc.call(V1.getTask, { tenant: '', id: 'none' }))).toMatchObject({
      code: 'UNAVAILABLE',
      message: AWAY,
    });
  });

  it('goes on once it is back', async () => {
    relay.isDownAfter = false;
    await eventually(async () =>
      expect((await hub.rest('GET', '/a2a/tasks')).body).toMatchObject({ tasks: [] }),
    );
  });
});
