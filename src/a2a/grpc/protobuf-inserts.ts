import type { TurnCounter } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';

/** Characters or bytes that are written in one piece. */
export const PIECE = 512 * 1024;

/** What is to be the whole value of a field of a protobuf message, in place of the bytes from `at` to `end`. */
export interface Insert {
  readonly at: number;
  readonly end: number;
  /** A text is written as UTF-8. */
  readonly value: string | Uint8Array;
  /** Of the value, in bytes. */
  readonly length: number;
}

/** The length of a field that has an insert in it, to be written in place of the bytes from `at` to `end`. */
interface Length {
  readonly at: number;
  readonly end: number;
  length: number;
}

/**
 * A protobuf message with other values in it: inserts are in their order, and each is where a whole value is now. Other work
 * runs between some of the pieces that are written.
 */
export async function withInserts(
  message: Buffer,
  inserts: readonly Insert[],
  turns: TurnCounter,
): Promise<Buffer> {
  const { edits, growth } = new Plan(message, inserts);
  const whole = Buffer.allocUnsafe(message.length + growth);
  let read = 0;
  let written = 0;
  for (const edit of edits) {
    written += message.copy(whole, written, read, edit.at);
    read = edit.end;
    if (!('value' in edit)) {
      written = writeVarint(whole, edit.length, written);
      continue;
    }
    for (const piece of piecesOf(edit.value)) {
      written +=
        typeof piece === 'string' ? whole.write(piece, written) : copy(piece, whole, written);
      const turn = turns.next(piece.length);
      if (turn !== undefined) await turn;
    }
  }
  message.copy(whole, written, read);
  return whole;
}

/** What is to be written otherwise in a message, from its beginning to its end. */
class Plan {
  readonly edits: (Length | Insert)[] = [];
  /** By how many bytes the message gets longer. */
  readonly growth: number;
  private position = 0;
  private done = 0;

  constructor(
    private readonly message: Buffer,
    private readonly inserts: readonly Insert[],
  ) {
    this.growth = this.fields(message.length);
  }

  /** The next insert, where it is before `end`. */
  private before(end: number): Insert | undefined {
    const insert = this.inserts[this.done];
    return insert !== undefined && insert.at < end ? insert : undefined;
  }

  /** Goes through fields as far as there are inserts in them. */
  private fields(end: number): number {
    let growth = 0;
    while (this.before(end) !== undefined) {
      const wireType = this.varint() & 7;
      if (wireType === 0) this.varint();
      else if (wireType === 1) this.position += 8;
      else if (wireType === 5) this.position += 4;
      else growth += this.lengthDelimited();
    }
    this.position = end;
    return growth;
  }

  private lengthDelimited(): number {
    const lengthAt = this.position;
    const length = this.varint();
    const start = this.position;
    const end = start + length;
    const insert = this.before(end);
    if (insert === undefined) {
      this.position = end;
      return 0;
    }
    const edit: Length = { at: lengthAt, end: start, length };
    this.edits.push(edit);
    edit.length += insert.at === start ? this.insert(insert) : this.fields(end);
    return edit.length - length + varintBytes(edit.length) - (start - lengthAt);
  }

  private insert(insert: Insert): number {
    this.edits.push(insert);
    this.done += 1;
    this.position = insert.end;
    return insert.length - (insert.end - insert.at);
  }

  /** Up to 32 bits of one: tags and lengths have no more. */
  private varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.message[this.position++]!;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
}

/** Gives where it ends. */
function writeVarint(into: Buffer, value: number, at: number): number {
  let end = at;
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) into[end++] = (rest & 0x7f) | 0x80;
  into[end++] = rest;
  return end;
}

function* piecesOf(value: string | Uint8Array): Generator<string | Uint8Array, void> {
  if (typeof value === 'string') return yield* slicesOf(value, PIECE);
  for (let from = 0; from < value.byteLength; from += PIECE) {
    yield value.subarray(from, from + PIECE);
  }
}

function copy(bytes: Uint8Array, into: Buffer, at: number): number {
  into.set(bytes, at);
  return bytes.byteLength;
}
