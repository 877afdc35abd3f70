import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Random bytes of one id, and of how many ids at once: asking the system each time costs microseconds. */
const ID_BYTES = 16;
const POOLED_IDS = 256;

/** The hub's only source of ids and chance, so that tests can fix them. */
export abstract class IdSource {
  /** A new id, greater than every id before it in this process (UUID version 7), for rows. */
  abstract next(): string;

  /** `bytes` of cryptographic randomness, base64url, for secrets and unguessable ids. */
  abstract secret(bytes: number): string;

  /** A number in [0, 1), for jitter and samples only. */
  abstract jitter(): number;
}

/** No id that was made at this time or later is smaller, as long as no clock was set back. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Ids and chance from the operating system. */
export class SystemIdSource extends IdSource {
  private readonly pool = Buffer.alloc(ID_BYTES * POOLED_IDS);
  private used = this.pool.length;
  private msecs = 0;
  private seq = 0;

  next(): string {
    if (this.used >= this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const random = this.pool.subarray(this.used, (this.used += ID_BYTES));
    this.advance(Date.now(), random.readUInt32BE(0));
    return v7({ random, msecs: this.msecs, seq: this.seq });
  }

  /** A new millisecond begins at a random number with room for many more; a clock set back counts as none. */
  private advance(now: number, random: number): void {
    if (now > this.msecs) {
      this.msecs = now;
      this.seq = random >>> 1;
    } else {
      this.seq += 1;
    }
  }

  secret(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }

  jitter(): number {
    return Math.random();
  }
}
