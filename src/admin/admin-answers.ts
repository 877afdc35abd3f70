import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HubError, hubErrorOf } from '../common/hub-error.js';
import { onceClosed } from '../common/http/once-closed.js';
import { PROBLEM_JSON, problemOf } from '../common/http/problem.js';
import { LONG } from '../common/long-work.js';
import { type AnswerReservation, RequestCapacity } from '../a2a/index.js';

const ADMIN_PATH = '/api/';
/** Bytes of answers that have been made and wait for room; more are refused at once. */
const MAX_MADE = 64 * LONG;

/**
 * The large answers of the admin API: they have their room as those of A2A do, before they are made where a
 * handler asks for it, and leave in pieces as their readers take them.
 */
@Injectable()
export class AdminAnswers {
  private made = 0;

  constructor(private readonly capacity: RequestCapacity) {}

  /** From now on every request of a known caller has room to ask for, and can be counted as open; see `ReserveAnswer` and `OpenCall`. */
  meter(server: FastifyInstance): void {
    const reservations = new WeakMap<FastifyRequest, AnswerReservation>();
    server.decorateRequest('reserveAnswer', null);
    server.decorateRequest('openCall', null);
    server.addHook('preHandler', (request, reply, done) => {
      const { principal, url } = request;
      if (principal && url.startsWith(ADMIN_PATH)) {
        const reservation = this.capacity.answers.begin(principal);
        reservations.set(request, reservation);
        request.reserveAnswer = reservation.take;
        request.openCall = () => this.capacity.openCall(principal);
        onceClosed(reply.raw, () => reservation.end());
      }
      done();
    });
    // Called for every request, so with a callback: a promise is for the few that wait.
    server.addHook('onSend', (request, reply, payload, done) => {
      const reservation = reservations.get(request);
      const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
      if (reservation === undefined || !isText || payload.length <= LONG)
        return done(null, payload);
      this.sent(Buffer.from(payload as string), reply, reservation).then(
        (sent) => done(null, sent),
        done,
      );
    });
  }

  private async sent(
    bytes: Buffer,
    reply: FastifyReply,
    reservation: AnswerReservation,
  ): Promise<unknown> {
    try {
      if (!reservation.isCounted) await this.reserveLate(bytes.length, reservation);
    } catch (thrown) {
      return refusal(hubErrorOf(thrown), reply);
    }
    const { socket } = reply.raw.req;
    const { pieces, left } = reservation.depart([bytes], () => socket.destroy());
    onceClosed(reply.raw, left);
    void reply.header('content-length', bytes.length);
    return Readable.from(pieces, { objectMode: false, highWaterMark: 1 });
  }

  private async reserveLate(bytes: number, reservation: AnswerReservation): Promise<void> {
    if (this.made > 0 && this.made + bytes > MAX_MADE) {
      const options = { metadata: { retryAfterSeconds: '2' } };
      throw new HubError('UNAVAILABLE', 'This process gives too many large answers.', options);
    }
    this.made += bytes;
    try {
      await reservation.take(bytes);
    } finally {
      this.made -= bytes;
    }
  }
}

function refusal(error: HubError, reply: FastifyReply): string {
  const problem = problemOf(error);
  const { retryAfterSeconds } = error.metadata;
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  const text = JSON.stringify(problem);
  void reply
    .status(problem.status)
    .type(PROBLEM_JSON)
    .header('content-length', Buffer.byteLength(text));
  return text;
}
