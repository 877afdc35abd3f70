import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tooSmallPieces } from '../small-pieces.js';

/** How much of an unread body is taken off the wire after its answer, and thrown away. */
interface Patience {
  readonly ms: number;
  readonly bytes: number;
  /** Connections of this kind at once; those above are closed with their answer. */
  readonly connections: number;
}

const MIB = 1024 * 1024;
const WITH_KEY: Patience = { ms: 10_000, bytes: 64 * MIB, connections: 256 };
const WITHOUT_KEY: Patience = { ms: 2000, bytes: MIB, connections: 32 };

/** Bodies of which nothing more is read. */
const refused = new WeakSet<IncomingMessage>();

/** The connection of this body closes with its answer, whatever is still to come: reading it costs too much. */
export function readNoFurther(body: IncomingMessage): void {
  refused.add(body);
  body.pause();
}

/**
 * What is done about bodies that are not wanted. `Expect: 100-continue` is answered when the body is going
 * to be read, not before. An answer that leaves before its body has come whole is the last one of its
 * connection; what still comes of the body is thrown away for a moment, because a client that writes all of it
 * before it reads would see a broken connection otherwise, and never the answer.
 */
export class UnreadBodies {
  private readonly expecting = new WeakSet<IncomingMessage>();
  private readonly lingering = new Map<Patience, number>();

  constructor(private readonly isKnown: (request: FastifyRequest) => boolean) {}

  handle(server: FastifyInstance): void {
    server.server.on('checkContinue', (request, response) => {
      this.expecting.add(request);
      server.server.emit('request', request, response);
    });
    server.addHook('preParsing', (request, reply, _payload, done) => {
      if (this.expecting.delete(request.raw)) reply.raw.writeContinue();
      done();
    });
    server.addHook('onSend', (request, reply, payload, done) => {
      if (!isComing(request.raw)) return done(null, payload);
      // A small body comes with the head, in the same turn of the event loop.
      setImmediate(() => done(null, this.ending(request, reply, payload)));
    });
  }

  /** The answer as it is sent, when the body is no longer read. */
  private ending(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    const { raw } = request;
    if (!isComing(raw)) return payload;
    void reply.header('connection', 'close');
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    // A client that waits for `100 Continue` has sent nothing.
    if (!isText || request.method === 'HEAD' || this.expecting.has(raw)) return payload;
    if (refused.has(raw)) return payload;
    const patience = this.isKnown(request) ? WITH_KEY : WITHOUT_KEY;
    const count = this.lingering.get(patience) ?? 0;
    if (count >= patience.connections) return payload;
    void reply.header('content-length', Buffer.byteLength(payload));
    return Readable.from(this.lingered(payload, raw, patience), { objectMode: false });
  }

  /** The whole answer at once; its end, and with it the end of the connection, when the body has ended. */
  private async *lingered(
    payload: string | Buffer,
    body: IncomingMessage,
    patience: Patience,
  ): AsyncGenerator<string | Buffer> {
    const { lingering } = this;
    lingering.set(patience, (lingering.get(patience) ?? 0) + 1);
    try {
      yield payload;
      await thrownAway(body, patience);
    } finally {
      lingering.set(patience, lingering.get(patience)! - 1);
    }
  }
}

/**
 * Resolves when the body has ended, as much or as long as that has come, it comes in very many tiny pieces, or its
 * client is gone. Nothing more is read then.
 */
export async function thrownAway(
  body: IncomingMessage,
  { ms, bytes }: Pick<Patience, 'ms' | 'bytes'>,
): Promise<void> {
  const enough = new AbortController();
  const timer = setTimeout(() => enough.abort(), ms);
  let taken = 0;
  let pieces = 0;
  const take = (chunk: Buffer): void => {
    taken += chunk.length;
    pieces += 1;
    if (taken <= bytes && !tooSmallPieces(pieces, taken)) return;
    // At once: what has arrived already would be handed out piece by piece.
    readNoFurther(body);
    body.off('data', take);
    enough.abort();
  };
  body.on('data', take);
  body.resume();
  await finished(body, { writable: false, signal: enough.signal }).catch(() => undefined);
  clearTimeout(timer);
  body.off('data', take);
}

/** Whether the request has a body of which something is still to come. */
function isComing({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
