import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AnswerReservation } from '../limits/answer-budget.js';

/**
 * Answers with these blocks, which leave in pieces as the client takes them. Resolves when the answer has left,
 * or when its reader is gone or has been cut off since it took nothing.
 */
export async function sendBlocks(
  reply: FastifyReply,
  blocks: readonly Buffer[],
  reservation: AnswerReservation,
): Promise<FastifyReply> {
  const { raw } = reply;
  // An answer that has others before it has no socket of its own yet.
  const { socket } = raw.req;
  if (socket.destroyed) return reply;
  const length = blocks.reduce((sum, block) => sum + block.length, 0);
  const { pieces, left } = reservation.depart(blocks, () => socket.destroy());
  const closed = new Promise<void>((resolve) => {
    raw.once('close', resolve);
    socket.once('close', resolve);
    raw.once('close', () => socket.off('close', resolve));
  });
  const body = Readable.from(pieces, { objectMode: false, highWaterMark: 1 });
  void reply.header('content-length', length).send(body);
  await closed;
  left();
  return reply;
}
