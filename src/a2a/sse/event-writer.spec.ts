import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  get,
} from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { EventWriter, type EventWriterOptions } from './event-writer.js';

const MIB = 1024 * 1024;

let server: Server;
let handle: (raw: ServerResponse) => unknown;

beforeEach(async () => {
  server = createServer((_request, response) => void handle(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const port = (): number => (server.address() as AddressInfo).port;

/** Serves one stream and hands its writer to the test. */
function serving(options: Partial<EventWriterOptions>): Promise<EventWriter> {
  return new Promise((resolve) => {
    handle = (raw) => {
      const writer = new EventWriter(raw, { heartbeatMs: 0, bufferBytes: MIB, ...options });
      writer.open({});
      resolve(writer);
    };
  });
}

function reading(): Promise<IncomingMessage> {
  return new Promise((resolve) => get({ port: port(), host: '127.0.0.1' }, resolve));
}

/** A client that asks and then reads nothing. */
function stuck(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port(), '127.0.0.1', () => {
      socket.pause();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += String(chunk);
  return text;
}

describe('EventWriter', () => {
  it('writes headers and events as they come, each on one data line', async () => {
    const opened = serving({});
    const answer = reading();
    const writer = await opened;
    writer.event(7, '{"a":1}');
    const message = await answer;
    expect(message.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    writer.event(undefined, '{"b":2}');
    writer.end();
    expect(await textOf(message)).toBe('id: 7\ndata: {"a":1}\n\ndata: {"b":2}\n\n');
    expect(writer.closed).toBe(true);
  });

  it('writes no end of a line that only Unicode has, in the same JSON', async () => {
    const opened = serving({});
    const answer = reading();
    const writer = await opened;
    const value = { text: 'a\u2028b\u2029c\u0085d\u2028é' };
    writer.event(1, JSON.stringify(value));
    writer.failure('error', JSON.stringify(value));
    writer.end();
    const text = await textOf(await answer);
    expect(text).not.toMatch(/[\u0085\u2028\u2029]/);
    const data = text.match(/(?<=^data: ).*$/gm) ?? [];
    expect(data.map((line) => JSON.parse(line) as unknown)).toEqual([value, value]);
  });

  it('is over when the connection is gone before its answer has had a turn on it', async () => {
    const writers: EventWriter[] = [];
    const both = new Promise<void>((resolve) => {
      handle = (raw) => {
        const writer = new EventWriter(raw, { heartbeatMs: 0, bufferBytes: MIB });
        writer.open({});
        if (writers.push(writer) === 2) resolve();
      };
    });
    const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = connect(port(), '127.0.0.1', () => socket.write(request + request));
    await both;
    const [, second] = writers as [EventWriter, EventWriter];
    second.longEvent(1, [Buffer.alloc(MIB, ' ')]);
    const drained = second.drained();
    expect(second.closed).toBe(false);
    socket.destroy();
    await drained;
    expect(second.closed).toBe(true);
  });

  it('keeps the order of events that are queued, and loses none at the end', async () => {
    const opened = serving({ bufferBytes: 64 * MIB });
    const answer = reading();
    const writer = await opened;
    const block = 'x'.repeat(100_000);
    for (let seq = 1; seq <= 50; seq++) writer.event(seq, block);
    writer.end();
    const ids = (await textOf(await answer)).match(/^id: \d+$/gm);
    expect(ids).toEqual(Array.from({ length: 50 }, (_, index) => `id: ${index + 1}`));
  });

  it('comments a silent stream, and only a silent one', async () => {
    const opened = serving({ heartbeatMs: 40 });
    const answer = reading();
    const writer = await opened;
    writer.event(1, '{}');
    await new Promise((resolve) => setTimeout(resolve, 150));
    writer.end();
    const text = await textOf(await answer);
    expect(text).toMatch(/^id: 1\ndata: \{\}\n\n(: heartbeat every 40 ms\n\n){2,}$/);
  });

  it('writes no comments when they are switched off', async () => {
    const opened = serving({ heartbeatMs: 0 });
    const answer = reading();
    const writer = await opened;
    writer.event(1, '{}');
    await new Promise((resolve) => setTimeout(resolve, 80));
    writer.end();
    expect(await textOf(await answer)).toBe('id: 1\ndata: {}\n\n');
  });

  it('drops a reader that leaves more unread than the limit', async () => {
    const opened = serving({ bufferBytes: MIB });
    const socket = await stuck();
    const closed = new Promise((resolve) => socket.on('close', resolve));
    const writer = await opened;
    const block = 'x'.repeat(256 * 1024);
    let written = 0;
    while (!writer.closed && written < 400) {
      writer.event(++written, block);
      await writer.ready();
    }
    expect(writer.closed).toBe(true);
    expect(written).toBeLessThan(400);
    socket.resume();
    await closed;
  });

  it('lets a slow reader take one event larger than the limit', async () => {
    const opened = serving({ bufferBytes: 64 * 1024 });
    const answer = reading();
    const writer = await opened;
    writer.event(1, 'y'.repeat(20 * MIB));
    const message = await answer;
    await writer.ready();
    await writer.ready();
    expect(writer.closed).toBe(false);
    const text = textOf(message);
    while (writerIsBusy(writer)) await writer.ready();
    writer.event(2, '{}');
    writer.end();
    expect((await text).length).toBeGreaterThan(20 * MIB);
  });

  it('lets a reader that keeps up take a large event right behind a small one', async () => {
    const opened = serving({ bufferBytes: 64 * 1024 });
    const answer = reading();
    const writer = await opened;
    writer.event(1, '{}');
    await writer.ready();
    writer.event(2, 'y'.repeat(MIB));
    expect(writer.closed).toBe(false);
    const text = textOf(await answer);
    writer.end();
    expect((await text).length).toBeGreaterThan(MIB);
  });

  it('writes a long event in pieces, and nothing into it', async () => {
    const opened = serving({ bufferBytes: 64 * 1024 });
    const answer = reading();
    const writer = await opened;
    writer.event(1, '{}');
    await writer.drained();
    const value = 'é\u2028x'.repeat(MIB);
    const json = Buffer.from(JSON.stringify(value));
    writer.longEvent(2, [json.subarray(0, 1), json.subarray(1)]);
    const number = writer.underWay;
    writer.failure('error', '{"a":1}');
    writer.end();
    const text = await textOf(await answer);
    expect(number).toBeDefined();
    const [first, second, third, end] = text.split('\n\n');
    expect([first, third, end]).toEqual(['id: 1\ndata: {}', 'event: error\ndata: {"a":1}', '']);
    expect(second!.slice(0, 12)).toBe('id: 2\ndata: ');
    expect(second).not.toContain('\u2028');
    expect(JSON.parse(second!.slice(12)) === value).toBe(true);
  });

  it('knows when a long event has left', async () => {
    const opened = serving({});
    const socket = await stuck();
    const writer = await opened;
    writer.longEvent(1, [Buffer.alloc(20 * MIB, 'x')]);
    let hasLeft = false;
    const left = writer.drained().then(() => (hasLeft = true));
    // The system takes some of it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const number = writer.underWay;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([hasLeft, writer.underWay]).toEqual([false, number]);
    expect(number).toBeGreaterThan(0);
    expect(() => writer.longEvent(2, [])).toThrow('under way');
    socket.resume();
    await left;
    expect(writer.underWay).toBeUndefined();
    socket.destroy();
  });

  it('notices that its reader is gone', async () => {
    const opened = serving({});
    const answer = reading();
    const writer = await opened;
    writer.event(1, '{}');
    (await answer).destroy();
    for (let tries = 0; !writer.closed && tries < 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(writer.closed).toBe(true);
    writer.event(2, '{}');
    await writer.ready();
    writer.end();
  });
});

function writerIsBusy(writer: EventWriter): boolean {
  return (writer as unknown as { writing: boolean }).writing;
}
