import { PassThrough } from 'node:stream';
import { Metadata, type ServerInterceptingCallInterface, status as codes } from '@grpc/grpc-js';
import { describe, expect, it, jest } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import { SystemClock } from '../../common/clock.js';
import type { Log } from '../../common/logger.js';
import type { RequestCapacity } from '../limits/request-capacity.js';
import { Uploads } from '../limits/uploads.js';
import { grpcStatusOf } from './grpc-error.js';
import { IncomingMessages } from './incoming-messages.js';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

const BYTES = 100_000;
const CALLER: Principal = { id: 'ann', organization: 'org', scopes: new Set() };

/** A call of a known caller, whose message may come. */
function begun(bytes = BYTES, uploads: Pick<Uploads, 'watch'> = { watch: () => () => undefined }) {
  const freed: string[] = [];
  const reservation = { taken: () => undefined, free: () => freed.push('room') };
  const capacity = {
    reserve: () => Promise.resolve(reservation),
    uploads,
  } as unknown as RequestCapacity;
  const messages = new IncomingMessages(
    capacity,
    () => ({
      maxBytes: bytes,
      statusOf: (error) => grpcStatusOf(error, '1.0'),
    }),
    {} as Log,
  );
  const stream = Object.assign(new PassThrough(), { close: () => undefined });
  let wire: Listener | undefined;
  const sent: unknown[] = [];
  const call = {
    stream,
    start: (listener: Listener) => (wire = listener),
    sendStatus: (status: unknown) => sent.push(status),
  } as unknown as ServerInterceptingCallInterface;
  const intercepted = messages.intercept({ path: '/any' } as never, call);
  const ignored = (): void => undefined;
  intercepted.start({
    onReceiveMetadata: ignored,
    onReceiveMessage: ignored,
    onReceiveHalfClose: ignored,
    onCancel: ignored,
  });
  const metadata = new Metadata();
  wire!.onReceiveMetadata(metadata);
  messages.from(metadata, CALLER);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes, 1);
  return { freed, metadata, messages, stream, prefix, sent, cancel: () => wire!.onCancel() };
}

/** A call whose message has come and has room, and what became of that. */
async function received() {
  const call = begun();
  call.stream.emit('data', Buffer.concat([call.prefix, Buffer.alloc(BYTES)]));
  await new Promise(setImmediate);
  return call;
}

describe('the room of a message', () => {
  it('is freed when its call is canceled before anybody works on it', async () => {
    const { freed, cancel } = await received();
    cancel();
    expect(freed).toEqual(['room']);
  });

  it('is kept by who works on it when its call is canceled', async () => {
    const { freed, metadata, messages, cancel } = await received();
    const reservation = messages.takeReservation(metadata);
    cancel();
    expect(freed).toEqual([]);
    reservation.free();
    expect(freed).toEqual(['room']);
  });
});

describe('a message in pieces', () => {
  it('ends the call when they are very many and tiny; what still comes is put together by nothing', () => {
    const { stream, prefix, sent } = begun();
    const library = jest.fn();
    stream.on('data', library);
    stream.emit('data', prefix);
    for (let piece = 0; piece < 5000; piece += 1) stream.emit('data', Buffer.alloc(1));
    expect(sent).toEqual([
      expect.objectContaining({
        code: codes.INVALID_ARGUMENT,
        details: expect.stringContaining('too small pieces: send frames of at least 64 bytes'),
      }),
    ]);
    expect(library.mock.calls.length).toBeLessThanOrEqual(4098);
  });

  it('may be many when they have 64 bytes on average', () => {
    const { stream, prefix, sent } = begun(BYTES * 10);
    stream.emit('data', prefix);
    for (let piece = 0; piece < 5000; piece += 1) stream.emit('data', Buffer.alloc(64));
    expect(sent).toEqual([]);
  });

  it('that belong to a second message are put together by nothing', () => {
    const { stream, prefix, sent } = begun();
    const library = jest.fn();
    stream.on('data', library);
    stream.emit('data', Buffer.concat([prefix, Buffer.alloc(BYTES)]));
    for (let piece = 0; piece < 100; piece += 1) stream.emit('data', Buffer.alloc(1));
    expect(sent).toHaveLength(1);
    expect(library).toHaveBeenCalledTimes(2);
  });
});

describe('a small message that is still coming', () => {
  const SMALL = 64 * 1024;

  /** A call of which all but the last byte has come. */
  function coming(uploads: Uploads, bytes = SMALL) {
    const call = begun(bytes, uploads);
    call.stream.emit('data', Buffer.concat([call.prefix, Buffer.alloc(bytes - 1)]));
    return call;
  }

  it('is one of a thousand of its caller; the latest of more are refused', () => {
    const uploads = new Uploads(new SystemClock(), {} as Log);
    const calls = Array.from({ length: 1002 }, () => coming(uploads));
    uploads.count();
    expect(calls.flatMap(({ sent }) => sent)).toEqual([]);
    // What is whole by now is not counted.
    calls[0]!.stream.emit('data', Buffer.alloc(1));
    uploads.count();
    expect(calls.flatMap(({ sent }) => sent)).toEqual([
      expect.objectContaining({ code: codes.RESOURCE_EXHAUSTED }),
    ]);
    expect(calls[1001]!.sent).toHaveLength(1);
  });

  it('is not one with room of its own', async () => {
    const uploads = new Uploads(new SystemClock(), {} as Log);
    const calls = Array.from({ length: 1001 }, () => coming(uploads, SMALL + 1));
    uploads.count();
    await new Promise(setImmediate);
    for (let i = 0; i < 2; i++) uploads.count();
    expect(calls.flatMap(({ sent }) => sent)).toEqual([]);
  });
});
