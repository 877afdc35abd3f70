import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../auth/index.js';
import { ByteCollector } from '../../common/byte-collector.js';
import { HubError } from '../../common/hub-error.js';
import { readNoFurther } from '../../common/http/unread-bodies.js';
import { JsonMeter } from '../../common/json-limits.js';
import { SMALL_PIECE, tooSmallPieces } from '../../common/small-pieces.js';
import { SMALL_BODY_BYTES } from '../limits/request-body-budget.js';
import { type ByteReservation, NO_RESERVATION } from '../limits/byte-reservations.js';
import type { RequestCapacity } from '../limits/request-capacity.js';
import { type MessageLimits, limitError, tooLarge } from '../limits/message-limits.js';

const TOO_SMALL_PIECES = `The body comes in too small pieces: send chunks of at least ${SMALL_PIECE} bytes.`;

/** A body that has come, and the room it has. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  readonly reservation: ByteReservation;
}

/**
 * Receives the body of a request, refusing it as early as can be: one that is too large by its
 * `Content-Length`, one for which there is no room before it is read, one that passes a limit at the byte that is too
 * much. Rejects with PAYLOAD_TOO_LARGE, INVALID_PARAMS, RATE_LIMITED or UNAVAILABLE, and with INVALID_REQUEST when it
 * makes no progress or comes in very many tiny pieces; the rest of the body is unread then, and of such pieces
 * not even thrown away.
 */
export async function readBody(
  raw: IncomingMessage,
  caller: Principal,
  capacity: RequestCapacity,
  limits: MessageLimits,
): Promise<ReceivedBody> {
  const length = raw.headers['content-length'];
  const declared = length === undefined ? undefined : Number(length);
  if (declared !== undefined && declared > limits.maxBytes) throw tooLarge(limits);
  const body = new IncomingBody(raw, caller, capacity, limits);
  try {
    if (declared !== undefined) await body.reserve(declared);
    return { bytes: await body.read(), reservation: body.reservation };
  } catch (error) {
    body.reservation.free();
    throw error;
  }
}

class IncomingBody {
  reservation = NO_RESERVATION;
  private readonly bytes = new ByteCollector();
  private pieces = 0;
  private readonly meter: JsonMeter;
  private reserved = SMALL_BODY_BYTES;
  private isWaiting = false;
  private isOver = false;

  constructor(
    private readonly raw: IncomingMessage,
    private readonly caller: Principal,
    private readonly capacity: RequestCapacity,
    private readonly limits: MessageLimits,
  ) {
    this.meter = new JsonMeter(limits);
  }

  async reserve(bytes: number): Promise<void> {
    if (bytes <= this.reserved) return;
    this.isWaiting = true;
    const reservation = await this.capacity.reserve(this.caller, bytes);
    this.isWaiting = false;
    if (this.isOver) {
      reservation.free();
      return;
    }
    this.reservation = reservation;
    this.reserved = bytes;
  }

  /** By events: leaving an iteration early would close the connection before the answer. */
  read(): Promise<Buffer> {
    const { raw } = this;
    return new Promise((resolve, reject) => {
      const unwatch = this.capacity.uploads.watch({
        received: () => (this.isWaiting ? undefined : this.bytes.size),
        uncountedOf: () =>
          this.reservation === NO_RESERVATION && !this.isWaiting ? this.caller : undefined,
        stalled: (error) => stop(error),
      });
      const leave = (): void => {
        this.isOver = true;
        unwatch();
        raw.off('data', take).off('end', whole).off('error', gone).off('close', gone);
      };
      const stop = (thrown: Error): void => {
        leave();
        raw.pause();
        this.bytes.clear();
        reject(thrown);
      };
      const take = (chunk: Buffer): void => {
        try {
          this.add(chunk);
        } catch (thrown) {
          stop(thrown as Error);
          return;
        }
        if (this.bytes.size <= this.reserved || this.isWaiting) return;
        // It did not say how much it is: it has the room of the largest.
        raw.pause();
        this.reserve(this.limits.maxBytes).then(() => raw.resume(), stop);
      };
      const whole = (): void => {
        leave();
        resolve(this.bytes.bytes());
      };
      const gone = (): void =>
        stop(new HubError('INVALID_REQUEST', 'The body has not come whole.'));
      raw.on('data', take).on('end', whole).on('error', gone).on('close', gone);
      // Its client has left while it waited for room.
      if (raw.destroyed) gone();
    });
  }

  private add(chunk: Buffer): void {
    const size = this.bytes.size + chunk.length;
    if (size > this.limits.maxBytes) throw tooLarge(this.limits);
    this.pieces += 1;
    if (tooSmallPieces(this.pieces, size)) {
      readNoFurther(this.raw);
      throw new HubError('INVALID_REQUEST', TOO_SMALL_PIECES);
    }
    try {
      this.meter.add(chunk);
    } catch (thrown) {
      throw limitError(thrown);
    }
    this.bytes.add(chunk);
  }
}
