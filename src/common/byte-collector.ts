import { StringDecoder } from 'node:string_decoder';
import { LONG, TurnCounter } from './long-work.js';

/** Pieces smaller than this are copied together: a piece may keep a much larger buffer alive. */
const BLOCK_BYTES = 64 * 1024;
/**
 * Decoded at once. V8 does not move a string so large: a string of one block would be copied by the next two collections of
 * garbage.
 */
const DECODED_BYTES = LONG / 2;

/** Bytes that arrive in pieces of any size, at a cost that only grows with how many they are. */
export class ByteCollector {
  private blocks: Buffer[] = [];
  private open: Buffer | undefined;
  private filled = 0;
  private total = 0;

  get size(): number {
    return this.total;
  }

  add(bytes: Buffer): void {
    this.total += bytes.length;
    if (bytes.length >= BLOCK_BYTES) {
      this.closeBlock();
      this.blocks.push(bytes);
      return;
    }
    for (let from = 0; from < bytes.length;) {
      // A small whole should not cost a whole block.
      this.open ??= Buffer.allocUnsafe(this.blocks.length === 0 ? firstSize(bytes) : BLOCK_BYTES);
      const free = this.open.length - this.filled;
      const piece = bytes.subarray(from, from + free);
      this.open.set(piece, this.filled);
      this.filled += piece.length;
      from += piece.length;
      if (this.filled === this.open.length) this.closeBlock();
    }
  }

  /** All of it as UTF-8, and forgets it; other work is let in between when it is much. */
  async text(): Promise<string> {
    this.closeBlock();
    const { blocks } = this;
    this.clear();
    const decoder = new StringDecoder('utf8');
    const texts: string[] = [];
    const turns = new TurnCounter();
    for (let from = 0; from < blocks.length;) {
      const to = endOfPiece(blocks, from);
      const piece = joined(blocks.slice(from, to));
      blocks.fill(EMPTY, from, to);
      from = to;
      texts.push(decoder.write(piece));
      const turn = turns.next(piece.length);
      if (turn !== undefined) await turn;
    }
    texts.push(decoder.end());
    return texts.join('');
  }

  /** All of it as it is, and forgets it. */
  bytes(): Buffer {
    this.closeBlock();
    const { blocks } = this;
    this.clear();
    return joined(blocks);
  }

  clear(): void {
    this.blocks = [];
    this.open = undefined;
    this.filled = 0;
    this.total = 0;
  }

  private closeBlock(): void {
    if (this.open !== undefined && this.filled > 0) {
      this.blocks.push(this.open.subarray(0, this.filled));
    }
    this.open = undefined;
    this.filled = 0;
  }
}

const EMPTY = Buffer.alloc(0);

/** The end of the blocks from here on that are decoded at once: one at least. */
function endOfPiece(blocks: readonly Buffer[], from: number): number {
  let to = from + 1;
  let size = blocks[from]!.length;
  while (to < blocks.length && size + blocks[to]!.length <= DECODED_BYTES) {
    size += blocks[to]!.length;
    to += 1;
  }
  return to;
}

function joined(blocks: readonly Buffer[]): Buffer {
  return blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
}

function firstSize(bytes: Uint8Array): number {
  return Math.max(1024, Math.min(BLOCK_BYTES, bytes.length * 2));
}
