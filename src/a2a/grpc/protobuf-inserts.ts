import { inTurns, type TurnCounter, VALUE_SIZE } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';
import { FieldReader, varintBytes, writeVarint } from './protobuf-writing.js';

/** Characters or bytes that are written in one piece. */
export const PIECE = 512 * 1024;
/** Inserts that are looked at in one piece. */
const STEP = 4096;

/** A text is written as UTF-8. */
export type Piece = string | Uint8Array;

/**
 * What is to be in a protobuf message instead of the bytes from `at` to `end`: whole fields, or the whole value of one.
 */
export interface Insert {
  readonly at: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
  /** Of all pieces, in bytes. */
  readonly length: number;
}

/** The length of a field that has an insert in it, to be written in place of the bytes from `at` to `end`. */
interface Length {
  readonly at: number;
  readonly end: number;
  length: number;
}

/**
 * A protobuf message with inserts, which are in their order. Other work runs between some of the pieces that are written.
 * Rejects where an insert is neither fields nor a value.
 */
export async function withInserts(
  message: Buffer,
  inserts: readonly Insert[],
  turns: TurnCounter,
): Promise<Buffer> {
  const plan = new Plan(message, inserts);
  const growth = await inTurns(plan.make(), turns);
  const whole = Buffer.allocUnsafe(message.length + growth);
  let read = 0;
  let written = 0;
  for (const edit of plan.edits) {
    written += message.copy(whole, written, read, edit.at);
    read = edit.end;
    if (!('pieces' in edit)) {
      written = writeVarint(whole, edit.length, written);
      continue;
    }
    for (const piece of shortPieces(edit.pieces)) {
      if (typeof piece === 'string') written += whole.write(piece, written);
      else {
        whole.set(piece, written);
        written += piece.byteLength;
      }
      const turn = turns.next(piece.length + VALUE_SIZE);
      if (turn !== undefined) await turn;
    }
  }
  message.copy(whole, written, read);
  return whole;
}

/** What is to be written otherwise in a message, from its beginning to its end. */
class Plan {
  readonly edits: (Length | Insert)[] = [];
  private readonly reader: FieldReader;
  private done = 0;

  constructor(
    private readonly message: Buffer,
    private readonly inserts: readonly Insert[],
  ) {
    this.reader = new FieldReader(message);
  }

  /** By how many bytes the message gets longer. Gives how many inserts it has looked at. */
  make(): Generator<number, number, undefined> {
    return this.fields(this.message.length);
  }

  /** The next insert, where it is before `end`. */
  private before(end: number): Insert | undefined {
    const insert = this.inserts[this.done];
    return insert !== undefined && insert.at < end ? insert : undefined;
  }

  /** Goes through fields as far as there are inserts in them; by how many bytes they get longer. */
  private *fields(end: number): Generator<number, number, undefined> {
    const { reader } = this;
    let growth = 0;
    for (let insert = this.before(end); insert !== undefined; insert = this.before(end)) {
      if (insert.at < reader.position || insert.end > end) {
        throw new Error('what is inserted into a protobuf message is no whole value');
      }
      if (insert.at === reader.position) growth += this.insert(insert);
      else if (reader.skipUnlessSized(reader.varint()) === 'sized') growth += yield* this.sized();
      if (this.done % STEP === STEP - 1) yield STEP;
    }
    reader.position = end;
    return growth;
  }

  private *sized(): Generator<number, number, undefined> {
    const { reader } = this;
    const lengthAt = reader.position;
    const length = reader.varint();
    const start = reader.position;
    const end = start + length;
    if (this.before(end) === undefined) {
      reader.position = end;
      return 0;
    }
    const edit: Length = { at: lengthAt, end: start, length };
    this.edits.push(edit);
    edit.length += yield* this.fields(end);
    return edit.length - length + varintBytes(edit.length) - (start - lengthAt);
  }

  private insert(insert: Insert): number {
    this.edits.push(insert);
    this.done += 1;
    this.reader.position = insert.end;
    return insert.length - (insert.end - insert.at);
  }
}

function* shortPieces(pieces: readonly Piece[]): Generator<Piece, void> {
  for (const piece of pieces) {
    if (piece.length <= PIECE) yield piece;
    else if (typeof piece === 'string') yield* slicesOf(piece, PIECE);
    else {
      for (let from = 0; from < piece.byteLength; from += PIECE) {
        yield piece.subarray(from, from + PIECE);
      }
    }
  }
}
