import { PassThrough } from 'node:stream';
import { Metadata, type ServerInterceptingCallInterface, status as codes } from '@grpc/grpc-js';
import { describe, expect, it, jest } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import type { Log } from '../../common/logger.js';
import type { RequestCapacity } from '../limits/request-capacity.js';
import { grpcStatusOf } from './grpc-error.js';
import { IncomingMessages } from './incoming-messages.js';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

const BYTES = 100_000;

/** A call of a known caller, whose message may come. */
function begun(bytes = BYTES) {
  const freed: string[] = [];
  const reservation = { taken: () => undefined, free: () => freed.push('room') };
  const capacity = {
    reserve: () => Promise.resolve(reservation),
    uploads: { watch: () => () => undefined },
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
  messages.from(metadata, {} as Principal);
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
