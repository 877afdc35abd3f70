import { VALUE_SIZE } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';
import { PIECE, type Piece } from './protobuf-inserts.js';
import { varintBytes, writeVarint } from './protobuf-writing.js';

/** Bytes of a block that is filled. */
const BLOCK = 256 * 1024;
/** Values that are written in one piece. */
const STEP = 2048;
/** Characters from which a text is a piece of its own. */
const LONG_TEXT = BLOCK / 4;

/** The fields of `google.protobuf.Value`, `Struct` and `ListValue`, with their wire types. */
const NULL_VALUE = 0x08;
const NUMBER_VALUE = 0x11;
const STRING_VALUE = 0x1a;
const BOOL_VALUE = 0x20;
const STRUCT_VALUE = 0x2a;
const LIST_VALUE = 0x32;
const ENTRY = 0x0a;
const KEY = 0x0a;
const VALUE = 0x12;

/** What has been written, and its length in bytes. */
export interface Written {
  readonly pieces: readonly Piece[];
  readonly length: number;
}

/**
 * A JSON object as `google.protobuf.Struct`, a list as `ListValue`, as the SDK writes them: without a member named `__proto__`. Gives
 * how many values it has worked on, or as many as a long text is worth.
 */
export function* writeStruct(value: object): Generator<number, Written, undefined> {
  const writer = new StructWriter();
  yield* writer.container(value);
  return writer.written();
}

/** Writes from the end to the beginning: each part has its length before it. */
class StructWriter {
  /** The last first. */
  private readonly pieces: Piece[] = [];
  private block = Buffer.allocUnsafe(BLOCK);
  private at = BLOCK;
  private length = 0;
  private values = 0;

  written(): Written {
    this.closeBlock(0);
    return { pieces: this.pieces.reverse(), length: this.length };
  }

  *container(value: object): Generator<number, void, undefined> {
    if (Array.isArray(value)) {
      for (let i = value.length - 1; i >= 0; i -= 1) {
        const end = this.length;
        yield* this.value(value[i]);
        this.close(end, ENTRY);
      }
      return;
    }
    const names = Object.keys(value);
    for (let i = names.length - 1; i >= 0; i -= 1) {
      const name = names[i]!;
      const member = (value as Readonly<Record<string, unknown>>)[name];
      if (member === undefined || name === '__proto__') continue;
      const end = this.length;
      yield* this.value(member);
      this.close(end, VALUE);
      if (name !== '') {
        const keyEnd = this.length;
        yield* this.text(name);
        this.close(keyEnd, KEY);
      }
      this.close(end, ENTRY);
    }
  }

  private *value(value: unknown): Generator<number, void, undefined> {
    if (++this.values % STEP === 0) yield STEP;
    if (typeof value === 'object' && value !== null) {
      const end = this.length;
      yield* this.container(value);
      this.close(end, Array.isArray(value) ? LIST_VALUE : STRUCT_VALUE);
    } else if (typeof value === 'string') {
      const end = this.length;
      yield* this.text(value);
      this.close(end, STRING_VALUE);
    } else if (typeof value === 'number') {
      this.take(8);
      this.block.writeDoubleLE(value, this.at);
      this.byte(NUMBER_VALUE);
    } else {
      this.byte(value === true ? 1 : 0);
      this.byte(typeof value === 'boolean' ? BOOL_VALUE : NULL_VALUE);
    }
  }

  private *text(text: string): Generator<number, void, undefined> {
    if (text.length <= LONG_TEXT) {
      const bytes = Buffer.byteLength(text);
      this.take(bytes);
      this.block.write(text, this.at);
      return;
    }
    this.closeBlock(BLOCK);
    this.pieces.push(text);
    for (const slice of slicesOf(text, PIECE)) {
      this.length += Buffer.byteLength(slice);
      yield slice.length / VALUE_SIZE;
    }
  }

  /** Writes the length of what has been written since it was `end` bytes, and the tag of its field. */
  private close(end: number, tag: number): void {
    const length = this.length - end;
    this.take(varintBytes(length));
    writeVarint(this.block, length, this.at);
    this.byte(tag);
  }

  private byte(byte: number): void {
    this.take(1);
    this.block[this.at] = byte;
  }

  /** Makes room for so many bytes, from `at` on. */
  private take(bytes: number): void {
    if (this.at < bytes) this.closeBlock(Math.max(BLOCK, bytes));
    this.at -= bytes;
    this.length += bytes;
  }

  private closeBlock(next: number): void {
    if (this.at < this.block.length) this.pieces.push(this.block.subarray(this.at));
    this.block = Buffer.allocUnsafe(next);
    this.at = next;
  }
}
