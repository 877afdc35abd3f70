import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

const BLOCK_BYTES = 16;
const KEY_BYTES = 16;

/**
 * The ids of events as callers see them. Events are numbered over the whole hub, so the numbers themselves
 * would reveal to one organization how much happens at the others; these are the numbers enciphered (one AES
 * block). The same number has the same id in every process.
 */
export class EventIds {
  private readonly key: Buffer;

  constructor(secret: string) {
    const digest = createHmac('sha256', secret).update('the ids of push events').digest();
    this.key = digest.subarray(0, KEY_BYTES);
  }

  shown(number: number): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeBigUInt64BE(BigInt(number), BLOCK_BYTES - 8);
    const cipher = createCipheriv('aes-128-ecb', this.key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  }

  /** The number; undefined for a text that {@link shown} did not make. */
  read(shown: string): number | undefined {
    const block = Buffer.from(shown, 'base64url');
    if (block.length !== BLOCK_BYTES || block.toString('base64url') !== shown) return undefined;
    const decipher = createDecipheriv('aes-128-ecb', this.key, null).setAutoPadding(false);
    const plain = Buffer.concat([decipher.update(block), decipher.final()]);
    const number = Number(plain.readBigUInt64BE(BLOCK_BYTES - 8));
    const isOurs = plain.readBigUInt64BE(0) === 0n && Number.isSafeInteger(number);
    return isOurs ? number : undefined;
  }
}
