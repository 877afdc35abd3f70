import { hash, randomFillSync } from 'node:crypto';

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
/** Asking the system each time costs microseconds. */
const POOL_BYTES = 4096;

/** Ids of traces and spans, in hexadecimal. */
export class SpanIds {
  private readonly pool = Buffer.alloc(POOL_BYTES);
  private used = POOL_BYTES;

  trace(): string {
    return this.take(TRACE_BYTES);
  }

  span(): string {
    return this.take(SPAN_BYTES);
  }

  private take(bytes: number): string {
    if (this.used + bytes > POOL_BYTES) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    return this.pool.toString('hex', this.used, (this.used += bytes));
  }
}

/** The id of a span that every process makes of this text. */
export function spanIdOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, SPAN_BYTES * 2);
}
