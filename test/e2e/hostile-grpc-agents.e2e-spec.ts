import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import zlib from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import type { AgentCallError } from '../../src/agents/binding/agent-call-error.js';
import { GrpcChannels } from '../../src/agents/binding/grpc-channels.js';
import { GrpcExchange } from '../../src/agents/binding/grpc-exchange.js';
import { Egress } from '../../src/common/egress/egress.js';
import { ReadBudget, readRules } from '../../src/common/read-budget.js';
import { type StreamResponse, type Task, TaskState } from '../../src/protocol/a2a.js';
import { BusyTurns } from '../support/busy-turns.js';
import { eventually } from '../support/eventually.js';

const MIB = 1024 * 1024;
const LIMIT = 64 * MIB;
/** What the HTTP/2 streams of both sides take of a message that is not read on: windows and buffers. */
const WINDOWS = MIB / 2;

const REQUEST = { tenant: '', id: 't', historyLength: undefined };
const SEND = { tenant: '', message: undefined, configuration: undefined, metadata: undefined };

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Failure = Pick<AgentCallError, 'kind' | 'message'>;

/** Writes what it will on the stream of each call. */
type Answering = (stream: ServerHttp2Stream) => void | Promise<void>;

/** An agent of nothing but HTTP/2; gives where it listens. */
async function agent(answer: Answering, headers: object = {}): Promise<string> {
  const server: Http2Server = createServer({ maxSessionMemory: 1000 });
  server.on('session', (session) => closing.push(() => session.destroy()));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', ...headers },
      { waitForTrailers: true },
    );
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    void answer(stream);
  });
  server.listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function prefix(length: number, isCompressed = false): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(isCompressed ? 1 : 0, 0);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

/** Writes so many bytes of a message as fast as it may. */
async function writeBytes(stream: ServerHttp2Stream, bytes: number, onPiece: (n: number) => void) {
  const piece = Buffer.alloc(64 * 1024);
  for (let left = bytes; left > 0 && !stream.destroyed; left -= piece.length) {
    const wasTaken = stream.write(piece.subarray(0, left));
    onPiece(Math.min(left, piece.length));
    if (wasTaken) continue;
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => undefined);
  }
}

/** Writes pieces, each in a frame of its own. */
async function writeEach(stream: ServerHttp2Stream, pieces: Iterable<Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (stream.destroyed) return;
    await new Promise((written) => stream.write(piece, written));
  }
}

function* piecesOf(bytes: Buffer, size: number): Generator<Buffer, void, undefined> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

function hub(rules: Partial<ReturnType<typeof readRules>> = {}) {
  const egress = new Egress({ allow: ['127.0.0.1'] });
  const channels = new GrpcChannels(egress, LIMIT, 50);
  const budget = new ReadBudget({ ...readRules(LIMIT), ...rules });
  closing.push(() => egress.close());
  closing.push(() => channels.close());
  const exchange = (address: string, agentId = address): GrpcExchange => {
    const abort = new AbortController();
    const made = new GrpcExchange(channels, {
      address,
      kind: 'message',
      headers: {},
      secrets: [],
      agentId,
      budget,
      maxAnswerBytes: LIMIT,
      connectTimeoutMs: 5000,
      onSent: () => undefined,
      signal: abort.signal,
    });
    closing.push(() => abort.abort());
    return made;
  };
  const getTask = async (address: string, agentId?: string): Promise<Task | Failure> => {
    const made = exchange(address, agentId);
    try {
      return await made.unary(A2AService.getTask, REQUEST);
    } catch (error) {
      // The error itself keeps what was read where it was thrown.
      const { kind, message } = error as AgentCallError;
      return { kind, message };
    } finally {
      made.release();
    }
  };
  async function* stream(address: string): AsyncGenerator<StreamResponse, void, undefined> {
    yield* exchange(address).stream(A2AService.sendStreamingMessage, SEND);
  }
  return { budget, exchange, getTask, stream };
}

function taskOf(megabytes: number): Task {
  return {
    id: 't',
    contextId: 'c',
    status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: undefined },
    artifacts: [],
    history: [],
    metadata: { filler: 'x'.repeat(megabytes * MIB) },
  };
}

function eventOf(megabytes: number): Buffer {
  const event: StreamResponse = { payload: { $case: 'task', value: taskOf(megabytes) } };
  return Buffer.from(A2AService.sendStreamingMessage.responseSerialize(event));
}

/** An agent that answers GetTask with a task of so many mebibytes. */
function answering(megabytes: number): Promise<string> {
  const message = Buffer.from(A2AService.getTask.responseSerialize(taskOf(megabytes)));
  return agent((stream) => void stream.end(Buffer.concat([prefix(message.length), message])));
}

/** A count as soon as it has begun and does not change any more. */
async function final(count: () => number): Promise<number> {
  for (let before = 0; ;) {
    if (before > 0 && before === count()) return before;
    before = count();
    await sleep(500);
  }
}

describe('an agent over gRPC', () => {
  it("is counted while its answer arrives: gRPC's library shows the stream of a call", async () => {
    const slow = await agent((stream) => {
      stream.write(prefix(10 * MIB));
      void writeBytes(stream, 5 * MIB, () => undefined);
    });
    const { budget, getTask } = hub();
    const answer = getTask(slow);
    await eventually(() => expect(budget.held).toBe(5 * MIB));
    for (const close of closing.splice(1)) await close();
    expect(await answer).toMatchObject({ kind: 'interrupted' });
    expect(budget.held).toBe(0);
  });

  it('is not read further than there is room for its answers, and others are', async () => {
    const calls = 40;
    let written = 0;
    const hostile = await agent((stream) => {
      stream.write(prefix(64 * MIB - 5));
      void writeBytes(stream, 60 * MIB, (bytes) => (written += bytes));
    });
    const good = await answering(8);
    const { budget, getTask } = hub({ graceMs: 60_000 });
    const all = Array.from({ length: calls }, () => getTask(hostile));
    // Half of the budget is its share, and one answer goes beyond.
    const most = LIMIT / 2 + 60 * MIB + calls * WINDOWS;
    expect(await final(() => written)).toBeLessThan(most);
    expect(written).toBeGreaterThan(LIMIT / 2);
    expect(budget.held).toBeLessThanOrEqual(LIMIT / 2 + LIMIT);
    expect(await getTask(good)).toMatchObject({ id: 't' });
    expect(written).toBeLessThan(most);
    for (const close of closing.splice(2)) await close();
    for (const failure of await Promise.all(all))
      expect(failure).toHaveProperty('kind', 'interrupted');
    expect(budget.held).toBe(0);
  }, 60_000);

  it('is cut off when it sends no more while others wait', async () => {
    const hostile = await agent((stream) => {
      stream.write(prefix(64 * MIB - 5));
      void writeBytes(stream, 20 * MIB, () => undefined);
    });
    const good = await answering(3);
    const rules = { ...readRules(8 * MIB), graceMs: 1000, bytesPerSecondBeyond: 1024 * MIB };
    const { budget, getTask } = hub({ ...rules, bytesPerSecond: 1024 * MIB });
    const all = ['a', 'a', 'b'].map((agentId) => getTask(hostile, agentId));
    await eventually(() => expect(budget.held).toBeGreaterThanOrEqual(20 * MIB));
    expect(await getTask(good)).toMatchObject({ id: 't' });
    expect(await Promise.race(all)).toMatchObject({
      kind: 'interrupted',
      message: expect.stringContaining('too slowly while others waited'),
    });
  }, 30_000);

  it('sends no event over 16 MiB', async () => {
    let written = 0;
    const hostile = await agent((stream) => {
      stream.write(prefix(16 * MIB + 1));
      void writeBytes(stream, 16 * MIB, (bytes) => (written += bytes));
    });
    const { stream, budget } = hub();
    await expect(stream(hostile).next()).rejects.toMatchObject({
      kind: 'interrupted',
      message: expect.stringContaining('16 MiB'),
    });
    expect(await final(() => written)).toBeLessThan(WINDOWS);
    expect(budget.held).toBe(0);
  });

  it('sends a large event when the one before is done with', async () => {
    let written = 0;
    const event = eventOf(2);
    const hostile = await agent((stream) => {
      const events = [event, event, event].map((bytes) => [prefix(bytes.length), bytes]);
      const bytes = Buffer.concat(events.flat());
      for (let from = 0; from < bytes.length; from += 10_000) {
        const piece = bytes.subarray(from, from + 10_000);
        stream.write(piece, () => (written += piece.length));
      }
      stream.end();
    });
    const { stream, budget } = hub();
    const events = stream(hostile);
    for (let read = 1; read <= 3; read += 1) {
      expect(await events.next()).toMatchObject({ value: { payload: { $case: 'task' } } });
      expect(await final(() => written)).toBeLessThan(read * event.length + WINDOWS);
      expect(budget.held).toBe(2 * MIB);
    }
    expect(await events.next()).toMatchObject({ done: true });
    expect(budget.held).toBe(0);
  }, 30_000);

  it('may send events of any size in pieces of any size, compressed or not', async () => {
    const sizes = Array.from({ length: 60 }, (_, n) => (n % 7 === 0 ? 70_000 * (n % 5) : n * 30));
    const streaming = A2AService.sendStreamingMessage;
    const frames = sizes.map((size, n) => {
      const value = { ...taskOf(0), id: String(n), metadata: { filler: 'x'.repeat(size) } };
      const bytes = Buffer.from(streaming.responseSerialize({ payload: { $case: 'task', value } }));
      const isCompressed = n % 3 === 0;
      const sent = isCompressed ? zlib.gzipSync(bytes) : bytes;
      return Buffer.concat([prefix(sent.length, isCompressed), sent]);
    });
    const bytes = Buffer.concat(frames);
    for (const piece of [3000, 16_384, 1_000_000]) {
      const good = await agent(
        (stream) => {
          for (let from = 0; from < bytes.length; from += piece) {
            stream.write(bytes.subarray(from, from + piece));
          }
          stream.end();
        },
        { 'grpc-encoding': 'gzip' },
      );
      const { stream, budget } = hub();
      const ids: string[] = [];
      for await (const { payload } of stream(good)) {
        if (payload?.$case === 'task') ids.push(payload.value.id);
      }
      expect(ids).toEqual(sizes.map((_, n) => String(n)));
      expect(budget.held).toBe(0);
    }
  }, 30_000);

  it('fills no memory with what is small only while it is compressed', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(63 * MIB));
    const hostile = await agent(
      (stream) => void stream.end(Buffer.concat([prefix(bomb.length, true), bomb])),
      { 'grpc-encoding': 'gzip' },
    );
    const { budget, getTask } = hub();
    let most = 0;
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }, 1);
    const all = await Promise.all(Array.from({ length: 16 }, () => getTask(hostile)));
    clearInterval(look);
    for (const failure of all) expect(failure).toMatchObject({ kind: 'invalid' });
    // One at a time, with the pieces that it was put together of, and what is not collected yet.
    expect(most).toBeLessThan(6 * LIMIT);
    expect(budget.held).toBe(0);
  }, 60_000);

  it('is inflated as far as there is room, and honest ones beside it at their own size', async () => {
    const zeros = zlib.gzipSync(Buffer.alloc(63 * MIB));
    const hostile = await agent(
      (stream) => void stream.write(Buffer.concat([prefix(zeros.length, true), zeros])),
      { 'grpc-encoding': 'gzip' },
    );
    const text = randomBytes(MIB).toString('hex');
    const task = { ...taskOf(0), metadata: { text } };
    const packed = zlib.gzipSync(Buffer.from(A2AService.getTask.responseSerialize(task)));
    const good = await agent(
      (stream) => void stream.end(Buffer.concat([prefix(packed.length, true), packed])),
      { 'grpc-encoding': 'gzip' },
    );
    const { budget, getTask, exchange } = hub();
    const honest = Array.from({ length: 4 }, () => exchange(good));
    await Promise.all(honest.map((made) => made.unary(A2AService.getTask, REQUEST)));
    // Four are read at once, though each may have become more than the whole budget.
    expect(budget.held).toBeLessThanOrEqual(4 * 3 * MIB);
    for (const made of honest) made.release();
    let most = 0;
    const look = setInterval(() => (most = Math.max(most, budget.held)), 1);
    const all = Array.from({ length: 8 }, (_, n) => getTask(hostile, `agent ${n}`));
    expect(await getTask(good)).toMatchObject({ metadata: { text } });
    for (const failure of await Promise.all(all)) {
      expect(failure).toMatchObject({ kind: 'interrupted' });
    }
    clearInterval(look);
    expect(most).toBeLessThanOrEqual(2 * LIMIT);
    expect(budget.held).toBe(0);
  }, 60_000);

  it('sends no event over 16 MiB that is compressed', async () => {
    const zeros = zlib.gzipSync(Buffer.alloc(17 * MIB));
    const hostile = await agent(
      (stream) => void stream.write(Buffer.concat([prefix(zeros.length, true), zeros])),
      { 'grpc-encoding': 'gzip' },
    );
    const { stream, budget } = hub();
    await expect(stream(hostile).next()).rejects.toMatchObject({
      kind: 'interrupted',
      message: expect.stringContaining('16 MiB'),
    });
    expect(budget.held).toBe(0);
  });

  it('ends its answer soon after the message', async () => {
    const message = Buffer.from(A2AService.getTask.responseSerialize(taskOf(5)));
    const gzip = zlib.gzipSync(Buffer.alloc(31 * MIB));
    const hostile = [
      await agent((stream) => void stream.write(Buffer.concat([prefix(message.length), message]))),
      await agent((stream) => void stream.write(Buffer.concat([prefix(gzip.length, true), gzip])), {
        'grpc-encoding': 'gzip',
      }),
    ];
    const good = await answering(8);
    const { budget, getTask } = hub();
    const all = [...hostile, ...hostile, ...hostile].map((address) => getTask(address));
    expect(await getTask(good)).toMatchObject({ id: 't' });
    for (const failure of await Promise.all(all)) {
      expect(failure).toEqual({
        kind: 'interrupted',
        message: 'the agent did not end its answer',
      });
    }
    expect(budget.held).toBe(0);
  }, 20_000);

  it('may end its answer a little after the message', async () => {
    const message = Buffer.from(A2AService.getTask.responseSerialize(taskOf(1)));
    const good = await agent((stream) => {
      stream.write(Buffer.concat([prefix(message.length), message]));
      setTimeout(() => stream.end(), 300);
    });
    expect(await hub().getTask(good)).toMatchObject({ id: 't' });
  });

  it('sends no message in very many tiny pieces', async () => {
    let written = 0;
    const hostile = await agent(async (stream) => {
      stream.write(prefix(2 * MIB));
      for (const piece of piecesOf(Buffer.alloc(20_000), 1)) {
        if (stream.destroyed) return;
        await writeEach(stream, [piece]);
        written += 1;
      }
    });
    const { getTask, stream, budget } = hub();
    const tooSmall = {
      kind: 'invalid',
      message: expect.stringContaining('too small pieces: of less than 64 bytes'),
    };
    expect(await getTask(hostile)).toMatchObject(tooSmall);
    expect(await final(() => written)).toBeLessThan(10_000);
    await expect(stream(hostile).next()).rejects.toMatchObject(tooSmall);
    expect(budget.held).toBe(0);
  }, 30_000);

  it('may send messages in many small pieces', async () => {
    const event = eventOf(0.5);
    const good = await agent(async (stream) => {
      for (const bytes of [event, event]) {
        await writeEach(stream, [prefix(bytes.length), ...piecesOf(bytes, 65)]);
      }
      stream.end();
    });
    const ids: string[] = [];
    for await (const { payload } of hub().stream(good)) {
      if (payload?.$case === 'task') ids.push(payload.value.id);
    }
    expect(ids).toEqual(['t', 't']);
  }, 30_000);

  it('waits for turns of long work before a large answer is looked through and decoded', async () => {
    const [short, long] = [await answering(0.5), await answering(2)];
    const { getTask } = hub();
    const turns = new BusyTurns();
    closing.push(() => turns.stop());
    expect(await turns.waitsOf(() => getTask(short))).toBe(0);
    expect(await turns.waitsOf(() => getTask(long))).toBe(2);
  }, 30_000);

  it('sends one message where one is wanted', async () => {
    const message = Buffer.from(A2AService.getTask.responseSerialize(taskOf(0)));
    const framed = Buffer.concat([prefix(message.length), message]);
    const hostile = await agent((stream) => void stream.end(Buffer.concat([framed, framed])));
    const later = await agent((stream) => {
      stream.write(framed);
      setTimeout(() => stream.write(framed), 300);
    });
    for (const address of [hostile, later]) {
      expect(await hub().getTask(address)).toMatchObject({
        kind: 'invalid',
        message: expect.stringContaining('more than one message'),
      });
    }
  });
});
