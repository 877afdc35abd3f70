import { once } from 'node:events';
import type { ServerHttp2Stream } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { type AnswerReservation, cutUp, type Reader } from '../limits/answer-budget.js';

/** The largest answer or event, in bytes. */
export const MAX_SEND_BYTES = 256 * 1024 * 1024;

/** Ends a call, whose message has been sent, as one that went well: the library takes any status. */
export const DONE = { code: status.OK, details: 'OK' };

/** Before a message: that it is not compressed, and its length. */
const PREFIX_BYTES = 5;

/**
 * Sends the message of a call whose metadata has been sent in pieces, as its reader takes them: the library
 * hands it over as a whole, and it is unknown whether it is read. Resolves when all but the last has been taken, with false
 * when the reader has left or has been cut off since it took nothing.
 */
export async function sendLarge(
  stream: ServerHttp2Stream,
  message: Buffer,
  reservation: AnswerReservation,
): Promise<boolean> {
  const blocks = [prefixOf(message), message];
  const { pieces, handedOver } = reservation.depart(blocks, () => stream.destroy());
  const gone = new AbortController();
  stream.once('close', () => gone.abort());
  try {
    for (const piece of pieces) {
      if (stream.destroyed || stream.writableEnded) return false;
      if (!stream.write(piece)) await once(stream, 'drain', { signal: gone.signal });
    }
    return !stream.destroyed && !stream.writableEnded;
  } catch {
    return false;
  } finally {
    handedOver();
  }
}

/** A message as it is on the wire, in pieces. */
export function piecesOf(message: Buffer): Iterator<Buffer, void, undefined> {
  return cutUp([prefixOf(message), message]);
}

function prefixOf({ length }: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(length, 1);
  return prefix;
}

/** Who reads a stream; what its connection takes for others counts as well. */
export function readerOf(stream: ServerHttp2Stream): Reader {
  return {
    taken: () => stream.session?.socket.bytesWritten,
    cut: () => stream.destroy(),
  };
}

/** Resolves when a stream has ended and all of it has left, or its reader is gone. */
export function untilClosed(stream: ServerHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.once('close', resolve);
  });
}
