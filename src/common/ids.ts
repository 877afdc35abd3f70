import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Random bytes of one id, and of how many ids at once: asking the system each time costs microseconds. */
const ID_BYTES = 16;
const POOLED_IDS = 256;

/** The hub's only source of ids and chance, so that tests can fix them. */
export abstract class IdSource {
  /** A new id that sorts by its millisecond (UUID version 7), for rows. */
  abstract next(): string;

  /** `bytes` of cryptographic randomness, base64url, for secrets and unguessable ids. */
  abstract secret(bytes: number): string;

  /** A number in [0, 1), for jitter only. */
  abstract jitter(): number;
}

/** Ids and chance from the operating system. */
export class SystemIdSource extends IdSource {
  private readonly pool = Buffer.alloc(ID_BYTES * POOLED_IDS);
  private used = this.pool.length;

  next(): string {
    if (this.used >= this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    const random = this.pool.subarray(this.used, (this.used += ID_BYTES));
    return v7({ random });
  }

  secret(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }

  jitter(): number {
    return Math.random();
  }
}
