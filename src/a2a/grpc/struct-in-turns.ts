import { VALUE_SIZE } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';
import { PIECE, type Piece } from './protobuf-inserts.js';
import { varintBytes, writeVarint } from './protobuf-writing.js';

/** Bytes of a block that is filled. */
const BLOCK = 256 * 1024;
/** Values that are written in one piece; a text is as many as its characters are worth. */
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

/** Which of both messages a JSON object or list is. */
export type StructForm = 'Struct' | 'ListValue';

/** Writes `google.protobuf.Struct` and `ListValue`, one after the other, each from its end to its beginning: each part has its length before it. */
export class StructWriter {
  /** What is written now, the last first. */
  private pieces: Piece[] = [];
  private block: Buffer = Buffer.alloc(0);
  private at = 0;
  /** Where in the block what is written now ends. */
  private end = 0;
  private length = 0;
  /** Work since the last step. */
  private values = 0;

  /**
   * Writes an object or a list as the SDK does: without a member named `__proto__`; a list as a `Struct` of its indices where that is
   * asked for. Gives how many values it has worked on, or as many as the characters of texts are worth.
   */
  *write(value: object, form: StructForm): Generator<number, Written, undefined> {
    this.length = 0;
    yield* this.container(value, form === 'ListValue');
    this.closePiece();
    const written = { pieces: this.pieces.reverse(), length: this.length };
    this.pieces = [];
    return written;
  }

  private *container(value: object, isList: boolean): Generator<number, void, undefined> {
    if (isList) {
      const items = value as readonly unknown[];
      for (let i = items.length - 1; i >= 0; i -= 1) {
        const end = this.length;
        yield* this.value(items[i]);
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
    this.values += 1;
    if (this.values >= STEP) {
      yield this.values;
      this.values = 0;
    }
    if (typeof value === 'object' && value !== null) {
      const end = this.length;
      const isList = Array.isArray(value);
      yield* this.container(value, isList);
      this.close(end, isList ? LIST_VALUE : STRUCT_VALUE);
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
      this.values += text.length / VALUE_SIZE;
      return;
    }
    this.closePiece();
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
    if (this.at < bytes) {
      this.closePiece();
      this.block = Buffer.allocUnsafe(Math.max(BLOCK, bytes));
      this.at = this.end = this.block.length;
    }
    this.at -= bytes;
    this.length += bytes;
  }

  /** What comes next is another piece, in what is left of the block. */
  private closePiece(): void {
    if (this.at < this.end) this.pieces.push(this.block.subarray(this.at, this.end));
    this.end = this.at;
  }
}
