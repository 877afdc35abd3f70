import { PassThrough } from 'node:stream';
import { Metadata, type ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import type { Principal } from '../../auth/index.js';
import type { Log } from '../../common/logger.js';
import type { RequestCapacity } from '../limits/request-capacity.js';
import { grpcStatusOf } from './grpc-error.js';
import { IncomingMessages } from './incoming-messages.js';

type Listener = Parameters<ServerInterceptingCallInterface['start']>[0];

const BYTES = 100_000;

/** A call whose message has come and has room, and what became of that. */
async function received() {
  const freed: string[] = [];
  const reservation = { taken: () => undefined, free: () => freed.push('room') };
  const capacity = {
    reserve: () => Promise.resolve(reservation),
    uploads: { watch: () => () => undefined },
  } as unknown as RequestCapacity;
  const messages = new IncomingMessages(
    capacity,
    () => ({
      maxBytes: BYTES,
      statusOf: (error) => grpcStatusOf(error, '1.0'),
    }),
    {} as Log,
  );
  const stream = new PassThrough();
  let wire: Listener | undefined;
  const call = {
    stream,
    start: (listener: Listener) => (wire = listener),
    sendStatus: () => undefined,
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
  prefix.writeUInt32BE(BYTES, 1);
  stream.emit('data', Buffer.concat([prefix, Buffer.alloc(BYTES)]));
  await new Promise(setImmediate);
  return { freed, metadata, messages, cancel: () => wire!.onCancel() };
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
