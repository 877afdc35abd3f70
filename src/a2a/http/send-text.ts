import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { untilClosed } from '../../common/http/once-closed.js';
import { type AnswerReservation, HANDED_AT_ONCE, type Reader } from '../limits/answer-budget.js';
import { type JsonText, lengthOf } from '../../common/json-text.js';

/**
 * Answers with this text; one that is not small leaves in pieces as the client takes them. Resolves when the
 * answer has left, or when its reader is gone or has been cut off since it took nothing.
 */
export async function sendText(
  reply: FastifyReply,
  text: JsonText,
  reservation: AnswerReservation,
): Promise<void> {
  const { raw } = reply;
  // An answer that has others before it has no socket of its own yet.
  const { socket } = raw.req;
  if (socket.destroyed) return;
  const reader = readerOf(reply);
  if (typeof text === 'string' && lengthOf(text) <= HANDED_AT_ONCE) {
    void reply.send(text);
    await reservation.leaves(untilClosed(raw), reader);
    return;
  }
  const blocks = typeof text === 'string' ? [Buffer.from(text)] : text;
  const { pieces, left } = reservation.depart(blocks, reader.cut);
  const body = Readable.from(pieces, { objectMode: false, highWaterMark: 1 });
  void reply.header('content-length', lengthOf(blocks)).send(body);
  await untilClosed(raw);
  left();
}

/** Who reads an answer. */
export function readerOf({ raw }: FastifyReply): Reader {
  return {
    taken: () => raw.socket?.bytesWritten,
    // One that waits behind others is not what its reader leaves.
    cut: () => void raw.socket?.destroy(),
  };
}
