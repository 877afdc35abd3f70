import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamItem } from '../../src/tasks/index.js';
import { eventually } from '../support/eventually.js';
import { type BindingHarness, startBindings } from './bindings-harness.js';

const MIB = 1024 * 1024;

let bindings: BindingHarness;

async function start(tasks: Record<string, unknown> = {}): Promise<void> {
  bindings = await startBindings({ tasks });
  await bindings.server.listen({ port: 0, host: '127.0.0.1' });
}

beforeEach(() => start({ heartbeatMs: 0 }));

afterEach(async () => {
  bindings.server.server.closeAllConnections();
  await bindings.server.close();
});

describe('open streams', () => {
  it('send headers and the first event at once, then each event as it comes', async () => {
    const feed = new Feed();
    bindings.on('tasks.subscribe', () => feed.items());
    feed.push(item(1));
    const stream = await subscribe();
    expect(stream.headers['content-type']).toBe('text/event-stream');
    const reader = textReader(stream);
    expect(await reader.until('"n":1')).toContain('id: 1\n');
    feed.push(item(2));
    expect(await reader.until('"n":2')).toContain('id: 2\n');
    feed.end();
    await reader.end();
    await eventually(() => expect(bindings.readers()).toBe(0), 10_000);
  });

  it('open while there is nothing to tell, and tell what comes then, a failure too', async () => {
    const feed = new Feed();
    bindings.on('tasks.subscribe', () => feed.items());
    const reader = textReader(await subscribe());
    feed.push(item(1));
    expect(await reader.until('"n":1')).toContain('id: 1\n');
    feed.end();
    await reader.end();
    const broken = new Feed();
    bindings.on('tasks.subscribe', async function* () {
      yield* broken.items();
      throw new Error('it broke');
    });
    const failing = textReader(await subscribe());
    broken.end();
    expect(lastOf(await failing.end())).toContain('"error"');
  });

  it('comment while nothing happens', async () => {
    await bindings.server.close();
    await start({ heartbeatMs: 30 });
    const feed = new Feed();
    bindings.on('tasks.subscribe', () => feed.items());
    feed.push(item(1));
    const reader = textReader(await subscribe());
    await reader.until(': heartbeat every 30 ms\n\n: heartbeat every 30 ms\n\n');
    feed.end();
    await reader.end();
  });

  it('end alone when their reader leaves: the source hears of it at once', async () => {
    const [left, kept] = [new Feed(), new Feed()];
    const feeds = [left, kept];
    bindings.on('tasks.subscribe', () => feeds.shift()!.items());
    left.push(item(1));
    kept.push(item(1));
    const first = await subscribe();
    const second = textReader(await subscribe());
    const signals = bindings.calls.map((call) => call.arguments[1].signal as AbortSignal);
    first.destroy();
    await eventually(() => expect(signals[0]!.aborted).toBe(true), 10_000);
    expect(signals[1]!.aborted).toBe(false);
    kept.push(item(2));
    await second.until('"n":2');
    kept.end();
    await second.end();
    left.push(item(2));
    await eventually(() => expect(left.returned && bindings.readers() === 0).toBe(true), 10_000);
  });

  it('drop a reader that reads nothing, and disturb nobody else', async () => {
    await bindings.server.close();
    await start({ heartbeatMs: 0, streamBufferBytes: MIB });
    let given = 0;
    const flood = async function* (): AsyncGenerator<StreamItem, void> {
      while (given < 400) yield item(++given, 256 * 1024);
    };
    const calm = new Feed();
    const sources = [flood, () => calm.items()];
    bindings.on('tasks.subscribe', () => sources.shift()!());
    const stuck = await subscribe();
    stuck.pause();
    calm.push(item(1));
    const reader = textReader(await subscribe());
    await reader.until('"n":1');
    await eventually(() => expect(bindings.readers()).toBe(1), 15_000);
    expect(given).toBeLessThan(400);
    calm.push(item(2));
    await reader.until('"n":2');
    calm.end();
    await reader.end();
    stuck.on('error', () => undefined).destroy();
  });

  it('give a reader who keeps up all of a long replay', async () => {
    await bindings.server.close();
    await start({ heartbeatMs: 0, streamBufferBytes: MIB });
    bindings.on('tasks.subscribe', async function* () {
      for (let n = 1; n <= 300; n++) yield item(n, 100 * 1024);
    });
    const text = await textReader(await subscribe()).end();
    expect(text.match(/^id: \d+$/gm)).toHaveLength(300);
  });

  it('end as UNAVAILABLE when the process drains, so that their readers resume elsewhere', async () => {
    const feed = new Feed();
    bindings.on('tasks.subscribe', () => feed.items());
    feed.push(item(1));
    const reader = textReader(await subscribe());
    await reader.until('"n":1');
    bindings.draining.begin();
    expect(lastOf(await reader.end())).toContain('"reason":"UNAVAILABLE"');
    expect(bindings.calls[0]!.arguments[1].signal.aborted).toBe(true);
  });

  it('show the first event of a stream that opens while the process drains', async () => {
    bindings.draining.begin();
    const feed = new Feed();
    bindings.on('tasks.subscribe', () => feed.items());
    feed.push(item(1));
    feed.push(item(2));
    const text = await textReader(await subscribe()).end();
    expect(text).toContain('id: 1\n');
    expect(text).not.toContain('id: 2\n');
    expect(lastOf(text)).toContain('"reason":"UNAVAILABLE"');
  });
});

function lastOf(text: string): string {
  return text.trim().split('\n\n').at(-1)!;
}

/** Items handed out one by one, as the test wants. */
class Feed {
  returned = false;
  private readonly queue: (StreamItem | undefined)[] = [];
  private wake: () => void = () => undefined;

  push(next: StreamItem): void {
    this.queue.push(next);
    this.wake();
  }

  end(): void {
    this.queue.push(undefined);
    this.wake();
  }

  async *items(): AsyncGenerator<StreamItem, void> {
    try {
      for (;;) {
        while (this.queue.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
        const next = this.queue.shift();
        if (next === undefined) return;
        yield next;
      }
    } finally {
      this.returned = true;
    }
  }
}

function item(n: number, size = 0): StreamItem {
  return { seq: n, body: JSON.stringify({ n, filler: 'x'.repeat(size) }) };
}

function subscribe(): Promise<IncomingMessage> {
  const { port } = bindings.server.server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const call = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/a2a',
      headers: { 'content-type': 'application/json', authorization: 'Bearer alice' },
    });
    call.on('response', resolve).on('error', reject);
    call.end('{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"t"}}');
  });
}

function textReader(stream: IncomingMessage): {
  until(text: string): Promise<string>;
  end(): Promise<string>;
} {
  let read = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (read += chunk));
  return {
    async until(text) {
      await eventually(() => expect(read).toContain(text), 10_000);
      return read;
    },
    async end() {
      await eventually(() => expect(stream.readableEnded).toBe(true), 10_000);
      return read;
    },
  };
}
