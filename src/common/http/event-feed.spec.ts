import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventFeed } from './event-feed.js';

const MIB = 1024 * 1024;

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
});

/** All that a reader gets of a feed that ends after `ms`. */
async function fed(heartbeatMs: number, ms: number): Promise<string> {
  server = createServer((_request, raw) => {
    const feed = new EventFeed(raw, { heartbeatMs, bufferBytes: MIB });
    feed.open();
    feed.send({ id: '1', event: 'one', data: {} });
    setTimeout(() => feed.end(), ms);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const message = await new Promise<IncomingMessage>((resolve) =>
    get({ port, host: '127.0.0.1' }, resolve),
  );
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += String(chunk);
  return text;
}

const EVENT = 'id: 1\nevent: one\ndata: {}\n\n';

describe('a feed', () => {
  it('says at first how often a comment comes while it is silent, and so it is', async () => {
    expect(await fed(30, 200)).toMatch(
      new RegExp(`^: heartbeat every 30 ms\n\n${EVENT}(: heartbeat\n\n){2,}$`),
    );
  });

  it('says that none comes', async () => {
    expect(await fed(0, 100)).toBe(`: heartbeat every 0 ms\n\n${EVENT}`);
  });

  it('waits for its reader again and again, and leaves no listener behind', async () => {
    const counts: number[] = [];
    let waits = 0;
    let failure: unknown;
    server = createServer((_request, raw) => {
      const feed = new EventFeed(raw, { heartbeatMs: 0, bufferBytes: 64 * MIB });
      feed.open();
      const large = 'x'.repeat(MIB);
      void (async () => {
        while (waits < 30) {
          feed.send({ id: '1', event: 'one', data: large });
          if (raw.writableNeedDrain) waits += 1;
          await feed.taken();
          counts.push(raw.listenerCount('close') + raw.listenerCount('drain'));
        }
      })()
        .catch((error: unknown) => (failure = error))
        .finally(() => feed.end());
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const message = await new Promise<IncomingMessage>((resolve) =>
      get({ port, host: '127.0.0.1' }, resolve),
    );
    for await (const _ of message) void _;
    expect(failure).toBeUndefined();
    expect(waits).toBe(30);
    expect(new Set(counts).size).toBe(1);
  });
});
