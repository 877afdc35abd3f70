import { type ClientReadableStream, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hub, startHub } from '../support/app.js';
import { GrpcClient, failureOf, grpcTarget } from '../support/grpc-client.js';
import { SERVING, checkHealth, watchHealth } from '../support/grpc-health.js';

const CHECK = '/grpc.health.v1.Health/Check';
const GET_TASK = '/lf.a2a.v1.A2AService/GetTask';
const MIB = 1024 * 1024;

let hub: Hub;

beforeAll(async () => {
  hub = await startHub({ config: { grpc: { port: -1 } } });
});

afterAll(() => hub.close());

/** What a watch gives until it ends, or until it has given one status and stays open. */
function outcomeOf(watch: ClientReadableStream<{ readonly status: string }>): Promise<{
  readonly seen: readonly string[];
  readonly ended: number | undefined;
}> {
  return new Promise((resolve) => {
    const seen: string[] = [];
    let open: NodeJS.Timeout | undefined;
    watch.on('data', ({ status: one }: { status: string }) => {
      seen.push(one);
      open = setTimeout(() => resolve({ seen, ended: undefined }), 300);
    });
    watch.on('error', () => undefined);
    watch.on('status', ({ code }: { code: number }) => {
      clearTimeout(open);
      resolve({ seen, ended: code });
    });
  });
}

describe('the health service, for anybody', () => {
  it('answers a watch of an unknown name SERVICE_UNKNOWN and keeps nothing of it', async () => {
    const client = new GrpcClient(grpcTarget(hub));
    for (const name of ['unknown', 'x'.repeat(200)]) {
      expect(await outcomeOf(watchHealth(client, name))).toEqual({
        seen: ['SERVICE_UNKNOWN'],
        ended: status.OK,
      });
    }
    client.close();
  });

  it('refuses a request longer than a name is, before it is received', async () => {
    const client = new GrpcClient(grpcTarget(hub));
    for (const bytes of [300, 9 * MIB]) {
      const name = 'x'.repeat(bytes);
      expect((await outcomeOf(watchHealth(client, name))).ended).toBe(status.RESOURCE_EXHAUSTED);
      expect(await failureOf(client.exchange(CHECK, Buffer.alloc(bytes)))).toMatchObject({
        code: 'RESOURCE_EXHAUSTED',
      });
    }
    client.close();
  });

  it('takes bytes that are no message for a name it does not know', async () => {
    const client = new GrpcClient(grpcTarget(hub));
    const bytes = Buffer.from([0x0a, 0xff, 0xff]);
    expect(await failureOf(client.exchange(CHECK, bytes))).toMatchObject({ code: 'NOT_FOUND' });
    client.close();
  });

  it('lets one connection have a few watches open, and others when these have ended', async () => {
    const client = new GrpcClient(grpcTarget(hub));
    const other = new GrpcClient(grpcTarget(hub), {
      channel: { 'grpc.use_local_subchannel_pool': 1 },
    });
    const watches = Array.from({ length: 16 }, () => watchHealth(client));
    const outcomes = await Promise.all(watches.map(outcomeOf));
    expect(outcomes).toEqual(watches.map(() => ({ seen: [SERVING], ended: undefined })));
    expect((await outcomeOf(watchHealth(client))).ended).toBe(status.RESOURCE_EXHAUSTED);
    expect((await outcomeOf(watchHealth(other))).seen).toEqual([SERVING]);
    expect(await checkHealth(client)).toBe(SERVING);
    watches[0]!.cancel();
    await checkHealth(client);
    expect(await outcomeOf(watchHealth(client))).toEqual({ seen: [SERVING], ended: undefined });
    client.close();
    other.close();
  });

  it('ends the oldest watch when as many are open as may be, for the sake of a new one', async () => {
    // With a key: so many calls without one, on new connections, would be refused.
    const channel = { 'grpc.use_local_subchannel_pool': 1 };
    const clients = await Promise.all(
      Array.from({ length: 64 }, () => GrpcClient.of(hub, { channel })),
    );
    for (const client of clients) await failureOf(client.exchange(GET_TASK, Buffer.alloc(0)));
    const ended: unknown[] = [];
    for (const [index, client] of clients.slice(0, 63).entries()) {
      const watches = Array.from({ length: 16 }, () => watchHealth(client));
      for (const watch of watches) {
        watch.on('error', () => undefined);
        watch.on('status', ({ code }: { code: number }) => ended.push([index, code]));
      }
      await Promise.all(watches.map((watch) => new Promise((seen) => watch.once('data', seen))));
    }
    expect(await outcomeOf(watchHealth(clients[63]!))).toEqual({
      seen: [SERVING],
      ended: undefined,
    });
    // Of 63 times 16 and one more, a thousand are left.
    expect(ended).toEqual(Array.from({ length: 9 }, () => [0, status.UNAVAILABLE]));
    for (const client of clients) client.close();
  });
});
