import { randomBytes, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

/** The hub's only source of ids and chance, so that tests can fix them. */
export abstract class IdSource {
  /** A new id that sorts by time (UUID version 7), for rows. */
  abstract next(): string;

  /** `bytes` of cryptographic randomness, base64url, for secrets and unguessable ids. */
  abstract secret(bytes: number): string;

  /** A number in [0, 1), for jitter only. */
  abstract jitter(): number;
}

/** Ids and chance from the operating system. */
export class SystemIdSource extends IdSource {
  next(): string {
    return v7();
  }

  secret(bytes: number): string {
    return randomBytes(bytes).toString('base64url');
  }

  jitter(): number {
    return parseInt(randomUUID().slice(0, 8), 16) / 0x1_0000_0000;
  }
}
