import { credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../src/bootstrap.js';
import { GrpcAddress } from '../../src/config/index.js';
import { type Hub, startHub, testConfig } from '../support/app.js';
import {
  GrpcClient,
  type GrpcFailure,
  V0,
  V1,
  failureOf,
  grpcTarget,
} from '../support/grpc-client.js';
import { SERVING, checkHealth } from '../support/grpc-health.js';
import { type GrpcHub, startGrpcHub } from '../support/grpc-hub.js';
import { pem } from '../support/pem.js';
import { selfSigned } from '../support/self-signed.js';

const SERVICES = ['', 'lf.a2a.v1.A2AService', 'a2a.v1.A2AService'];
const UNKNOWN = { tenant: '', id: 'no-such-task', historyLength: undefined };

let served: GrpcHub;
let hub: Hub;

beforeAll(async () => {
  served = await startGrpcHub();
  ({ hub } = served);
});

afterAll(() => served.close());

/** How an unknown task is refused with this metadata, at both services. */
async function refusals(
  metadata: Record<string, string> = {},
  key?: string | null,
): Promise<GrpcFailure[]> {
  const caller = await GrpcClient.of(hub, { key });
  const failures = [
    await failureOf(caller.call(V1.getTask, UNKNOWN, metadata)),
    await failureOf(
      caller.call(V0.getTask, { name: 'tasks/no-such-task', historyLength: 0 }, metadata),
    ),
  ];
  caller.close();
  return failures;
}

describe('the gRPC port', () => {
  it('is closed unless it is asked for', async () => {
    const plain = await startHub();
    const address = plain.app.get(GrpcAddress);
    expect(address.listening).toBeUndefined();
    expect(address.target).toBeUndefined();
    await plain.close();
  });

  it('is shown where it listens', () => {
    const address = hub.app.get(GrpcAddress);
    expect(address.listening).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(address.target).toBe(address.listening);
    expect(address.secure).toBe(false);
  });

  it('in use stops the start with a sentence that names it', async () => {
    const port = Number(grpcTarget(hub).split(':')[1]);
    const app = await createApp({ config: testConfig('sqlite::memory:', { grpc: { port } }) });
    await expect(app.listen(0, '127.0.0.1')).rejects.toThrow(
      `gRPC cannot listen at 127.0.0.1:${port} (grpc.port): `,
    );
    await app.close();
  });

  it('serves TLS with the configured certificate, and nothing else', async () => {
    const { certificate, key } = selfSigned();
    const secured = await startHub({
      config: { grpc: { port: -1, tlsCertificate: pem(certificate), tlsKey: pem(key) } },
    });
    expect(secured.app.get(GrpcAddress).secure).toBe(true);
    const trusting = credentials.createSsl(Buffer.from(certificate));
    const speaking = await GrpcClient.of(secured, { credentials: trusting });
    expect(await failureOf(speaking.call(V1.getTask, UNKNOWN))).toMatchObject({
      code: 'NOT_FOUND',
    });
    const plain = await GrpcClient.of(secured);
    expect(await failureOf(plain.call(V1.getTask, UNKNOWN))).toMatchObject({ code: 'UNAVAILABLE' });
    for (const one of [speaking, plain]) one.close();
    await secured.close();
  });

  it('tells anybody its health, for the hub and for each service', async () => {
    const anybody = new GrpcClient(grpcTarget(hub));
    for (const service of SERVICES) expect(await checkHealth(anybody, service)).toBe(SERVING);
    expect(await failureOf(checkHealth(anybody, 'unknown'))).toMatchObject({ code: 'NOT_FOUND' });
    anybody.close();
  });
});

describe('a caller', () => {
  it.each([
    ['without a key', null, {}],
    ['with a wrong key', null, { authorization: 'Bearer hub_x_wrong' }],
    ['with an empty key', null, { authorization: '' }],
  ])('%s is UNAUTHENTICATED', async (_who, key, metadata) => {
    for (const failure of await refusals(metadata, key)) {
      expect(failure).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'UNAUTHENTICATED' });
    }
  });

  it('whose key lacks the scope is PERMISSION_DENIED', async () => {
    const key = await hub.createKey({ scopes: ['agents'] });
    for (const failure of await refusals({}, key)) {
      expect(failure).toMatchObject({ code: 'PERMISSION_DENIED', reason: 'PERMISSION_DENIED' });
    }
  });

  it('may bring its key as x-api-key', async () => {
    const failures = await refusals({ 'x-api-key': await hub.createKey() }, null);
    expect(failures.map(({ code }) => code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });

  it('is refused before its message is read', async () => {
    const nobody = await GrpcClient.of(hub, { key: null });
    const large = Buffer.alloc(11 * 1024 * 1024);
    expect(await failureOf(nobody.exchange(V1.sendMessage.path, large))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    nobody.close();
  });

  it('who calls too often is RESOURCE_EXHAUSTED, and told when to come again', async () => {
    const limited = await startHub({
      config: {
        grpc: { port: -1 },
        server: { rateLimit: { requestsPerSecond: 1, burst: 0 } },
      },
    });
    const caller = await GrpcClient.of(limited);
    const failures = [];
    for (let call = 0; call < 3; call++) {
      failures.push(await failureOf(caller.call(V1.getTask, UNKNOWN)));
    }
    const refused = failures.find(({ reason }) => reason === 'RATE_LIMITED')!;
    expect(refused.code).toBe('RESOURCE_EXHAUSTED');
    expect(refused.trailers.get('retry-after')).toEqual(['1']);
    caller.close();
    await limited.close();
  });
});

describe('the version', () => {
  it('may be left out, or be that of the service with any patch', async () => {
    for (const metadata of [undefined, { 'a2a-version': '' }]) {
      const failures = await refusals(metadata);
      expect(failures.map(({ code }) => code)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    }
    const [current] = await refusals({ 'a2a-version': '1.0.7' });
    const [, legacy] = await refusals({ 'a2a-version': '0.2.5' });
    expect([current!.code, legacy!.code]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });

  it('that nobody speaks is VERSION_NOT_SUPPORTED', async () => {
    for (const version of ['99.0', 'one']) {
      for (const failure of await refusals({ 'a2a-version': version })) {
        expect(failure).toMatchObject({
          code: 'FAILED_PRECONDITION',
          reason: 'VERSION_NOT_SUPPORTED',
        });
      }
    }
  });

  it('of the other service names that one', async () => {
    const [current] = await refusals({ 'a2a-version': '0.3' });
    expect(current).toMatchObject({ code: 'UNIMPLEMENTED', reason: 'METHOD_NOT_FOUND' });
    expect(current!.message).toContain('in A2A 0.3 it is a2a.v1.A2AService');
    const [, legacy] = await refusals({ 'a2a-version': '1.0' });
    expect(legacy).toMatchObject({ message: 'Method not found' });
    expect(legacy!.metadata).toMatchObject({ service: 'lf.a2a.v1.A2AService' });
  });
});

it('tells a stranger of a task exactly what it tells of none', async () => {
  const task = await hub.submit('chunk', { message: { metadata: { agentId: 'scripted' } } });
  const id = task['id'] as string;
  const stranger = await GrpcClient.of(hub, { key: await hub.createKey({ name: 'stranger' }) });
  const none = 'no-such-task';
  const config = { tenant: '', taskId: id, id: 'c' };
  const asks: ((id: string) => Promise<unknown>)[] = [
    (id) => stranger.call(V1.getTask, { ...UNKNOWN, id }),
    (id) => stranger.call(V1.cancelTask, { tenant: '', id, metadata: undefined }),
    (id) => stranger.events(V1.subscribeToTask, { tenant: '', id }),
    (id) => stranger.call(V1.getTaskPushNotificationConfig, { ...config, taskId: id }),
    (id) => stranger.call(V1.deleteTaskPushNotificationConfig, { ...config, taskId: id }),
    (id) => stranger.call(V0.getTask, { name: `tasks/${id}`, historyLength: 0 }),
    (id) => stranger.call(V0.cancelTask, { name: `tasks/${id}` }),
    (id) => stranger.events(V0.taskSubscription, { name: `tasks/${id}` }),
    (id) =>
      stranger.call(V0.getTaskPushNotificationConfig, {
        name: `tasks/${id}/pushNotificationConfigs/c`,
      }),
  ];
  for (const ask of asks) {
    const theirs = await failureOf(ask(id));
    expect(theirs.reason).toBe('TASK_NOT_FOUND');
    expect(theirs.raw).toBe((await failureOf(ask(none))).raw);
  }
  stranger.close();
});
