import { randomBytes } from 'node:crypto';
import { Base64, isContainer } from '../../common/json-in-turns.js';
import {
  inTurns,
  isLong,
  LONG,
  longTurn,
  sizeOf,
  TurnCounter,
  VALUE_SIZE,
} from '../../common/long-work.js';
import { sliceFor } from '../../common/slices.js';
import { slicesOf } from '../../common/text-slices.js';
import { type Insert, type Piece, PIECE, withInserts } from './protobuf-inserts.js';
import { FieldReader } from './protobuf-writing.js';
import { type StructForm, StructWriter, type Written } from './struct-in-turns.js';

/** How messages with tasks are encoded. */
export interface TaskEncoder {
  /**
   * Encodes JSON. A text in it that has more than 32 characters, or others than ASCII, must be the whole value of a field, as it
   * is or decoded from base64, or not be in the message at all: while it is encoded there is another in its place.
   */
  readonly encode: (json: unknown) => Buffer;
  /** A task with these artifacts, in JSON, and nothing in the message behind them. */
  readonly encodeArtifacts: (artifacts: readonly unknown[]) => Buffer;
}

/** Texts up to this in ASCII are written fast: others are written apart from the message they are in. */
const FAST_TEXT = 32;
// oxlint-disable-next-line no-control-regex -- what is not ASCII is what it looks for
const NO_ASCII = /[^\u0000-\u007f]/;
/** Bytes from which they are written apart. */
const FAST_BYTES = 1024;
/** A free value is written apart when it is longer than this, by `sizeOf`, and when those that are not are longer together than that. */
const SHORT_FREE = 2048;
const ALL_SHORT_FREE = LONG / 4;
/** Items of a long list that are encoded at once. */
const GROUP = 1024;
/** Items from which a list is long. */
const MANY = 2 * GROUP;
/** What an insert is in characters: work on it takes as long. */
const INSERT_SIZE = 256;
/** Values that are looked at in one piece. */
const STEP = 4096;

/** The operations whose answers have tasks, messages and what happens to them, by which they may be long. */
export const LONG_ANSWERS: ReadonlySet<string> = new Set([
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
]);

/** The members that hold any JSON. */
const FREE: ReadonlySet<string> = new Set(['data', 'metadata']);
/** The lists that may have very many items. */
const LISTS: ReadonlySet<string> = new Set(['parts', 'artifacts']);
type ListName = 'parts' | 'artifacts';

/**
 * The message of wire JSON with a task or a part of one. Of a long value only what is short is encoded at once, with stand-ins for
 * the rest, which is written into the message afterwards, in turns of the event loop.
 */
export function encodeInTurns(json: unknown, encoder: TaskEncoder): Buffer | Promise<Buffer> {
  if (isLong(json)) return encodeLong(json, encoder);
  const slice = sliceFor(json);
  return slice === undefined ? encoder.encode(json) : slice.then(() => encoder.encode(json));
}

async function encodeLong(json: unknown, encoder: TaskEncoder): Promise<Buffer> {
  await longTurn();
  return new LongEncoding(encoder).message(json, encoder.encode);
}

class LongEncoding {
  private readonly turns = new TurnCounter();
  private readonly structs = new StructWriter();

  constructor(private readonly encoder: TaskEncoder) {}

  async message(json: unknown, encode: (json: unknown) => Buffer): Promise<Buffer> {
    const standIns = new StandIns();
    const short = await inTurns(standIns.putInto(json), this.turns);
    await longTurn();
    const message = encode(short);
    await longTurn();
    const inserts: Insert[] = [];
    for (const found of await inTurns(standIns.foundIn(message), this.turns)) {
      inserts.push(await this.insertOf(found, message));
      await this.turns.next(INSERT_SIZE);
    }
    return withInserts(message, inserts, this.turns);
  }

  private async insertOf({ at, end, of, isText }: Found, message: Buffer): Promise<Insert> {
    switch (of.kind) {
      case 'text':
        return { at, end, ...(isText ? await this.text(of.text) : await this.decoded(of.text)) };
      case 'bytes':
        return { at, end, pieces: [of.bytes], length: of.bytes.byteLength };
      case 'free': {
        const { before, after } = AROUND[of.form];
        const written = await inTurns(this.structs.write(of.value, of.form), this.turns);
        return { at: at - before, end: end + after, ...written };
      }
      case 'list': {
        const field = at - AROUND_ITEM;
        return { at: field, end, ...(await this.items(of, message[field]!)) };
      }
    }
  }

  private async text(text: string): Promise<Written> {
    let length = 0;
    for (const slice of slicesOf(text, PIECE)) {
      length += Buffer.byteLength(slice);
      await this.turns.next(slice.length);
    }
    return { pieces: [text], length };
  }

  private async decoded(base64: string): Promise<Written> {
    const pieces: Buffer[] = [];
    let length = 0;
    for (let from = 0; from < base64.length; from += PIECE) {
      const slice = base64.slice(from, from + PIECE);
      if (!BASE64.test(slice)) return decodedAtOnce(base64);
      const bytes = Buffer.from(slice, 'base64');
      pieces.push(bytes);
      length += bytes.length;
      await this.turns.next(slice.length);
    }
    return { pieces, length };
  }

  /** The fields of the items of a list, each with this tag, which is one byte. */
  private async items({ name, items }: LongList, tag: number): Promise<Written> {
    const pieces: Piece[] = [];
    let length = 0;
    for (let from = 0; from < items.length; from += GROUP) {
      const fields = await this.group(name, items.slice(from, from + GROUP));
      retag(fields, tag);
      pieces.push(fields);
      length += fields.length;
    }
    return { pieces, length };
  }

  /** The fields of some items: in a message that has them at its end, behind a mark. */
  private async group(name: ListName, items: readonly unknown[]): Promise<Buffer> {
    const mark = randomText();
    const marked = [itemOf(name, mark), ...items];
    const message = await this.message(
      name === 'artifacts' ? marked : [{ artifactId: '', parts: marked }],
      (artifacts) => this.encoder.encodeArtifacts(artifacts as readonly unknown[]),
    );
    return message.subarray(message.indexOf(mark, 0, 'latin1') + mark.length);
  }
}

/** Of which any four characters are three bytes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What some writer of base64 has written in a form of its own. */
function decodedAtOnce(base64: string): Written {
  const bytes = Buffer.from(base64, 'base64');
  return { pieces: [bytes], length: bytes.length };
}

/** Gives fields of one byte of tag each another one. */
function retag(fields: Buffer, tag: number): void {
  const reader = new FieldReader(fields);
  while (reader.position < fields.length) {
    fields[reader.position++] = tag;
    const length = reader.varint();
    reader.position += length;
  }
}

/** A text that nobody can guess: in base64, with nothing left over. */
function randomText(): string {
  return randomBytes(12).toString('base64');
}

/** A number in a stand-in: also base64. */
const NUMBER_LENGTH = 8;
const RADIX = 36;

interface LongList {
  readonly kind: 'list';
  readonly name: ListName;
  readonly items: readonly unknown[];
}

/** What there is a stand-in for. */
type Apart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'free'; readonly value: object; readonly form: StructForm }
  | LongList;

/** A stand-in in a message. `isText` is false where it is decoded from base64. */
interface Found {
  readonly at: number;
  readonly end: number;
  readonly of: Apart;
  readonly isText: boolean;
}

/**
 * What is before and behind the text in a `Struct` of one member of that name, which is null, and in a `ListValue` of that text
 * alone: tags and lengths.
 */
const AROUND = {
  Struct: { before: 4, after: 4 },
  ListValue: { before: 4, after: 0 },
} as const satisfies Record<StructForm, object>;
/** What is before it in an item of a list with no more than that text in its first field, with the item's own tag and length. */
const AROUND_ITEM = 4;

function itemOf(name: ListName, text: string): object {
  return name === 'artifacts' ? { artifactId: text, parts: [] } : { kind: 'text', text };
}

/** Stands in for what is long in one JSON value. */
class StandIns {
  private readonly secret = randomText();
  private readonly all: Apart[] = [];
  private seen = 0;
  /** Of the free values that are not apart, by `sizeOf`. */
  private shortFree = 0;

  /** The same value with stand-ins; what has nothing long in it is not copied. Gives how many values it has looked at. */
  *putInto(value: unknown): Generator<number, unknown, undefined> {
    if (!isContainer(value)) return this.put(value);
    if (Array.isArray(value)) return yield* this.putIntoList(value);
    let copy: Record<string, unknown> | undefined;
    for (const [name, member] of Object.entries(value) as [string, unknown][]) {
      const put = yield* this.putIntoMember(value, name, member);
      if (put !== member) (copy ??= { ...value })[name] = put;
    }
    return copy ?? value;
  }

  private *putIntoMember(
    value: object,
    name: string,
    member: unknown,
  ): Generator<number, unknown, undefined> {
    if (!isContainer(member)) return this.put(member);
    if (FREE.has(name)) {
      // Only the data of 1.0, where parts have no kind, is any value; all else is an object.
      const mayBeList = name === 'data' && !('kind' in value);
      return this.putFree(member, mayBeList && Array.isArray(member) ? 'ListValue' : 'Struct');
    }
    if (LISTS.has(name) && Array.isArray(member) && member.length > MANY) {
      const list = { kind: 'list', name: name as ListName, items: member as unknown[] } as const;
      return [itemOf(list.name, this.standInFor(list))];
    }
    return yield* this.putInto(member);
  }

  private *putIntoList(list: readonly unknown[]): Generator<number, unknown, undefined> {
    let copy: unknown[] | undefined;
    for (let i = 0; i < list.length; i += 1) {
      if (++this.seen % STEP === 0) yield STEP;
      const put = yield* this.putInto(list[i]);
      if (put !== list[i]) (copy ??= [...list])[i] = put;
    }
    return copy ?? list;
  }

  private put(value: unknown): unknown {
    if (typeof value === 'string') {
      if (value.length <= FAST_TEXT && !NO_ASCII.test(value)) return value;
      return this.standInFor({ kind: 'text', text: value });
    }
    if (value instanceof Uint8Array) {
      return value.byteLength < FAST_BYTES ? value : this.bytesFor(value);
    }
    if (value instanceof Base64) {
      const { bytes } = value;
      return bytes.byteLength < FAST_BYTES ? value : new Base64(this.bytesFor(bytes));
    }
    return value;
  }

  private putFree(value: object, form: StructForm): unknown {
    const size = isLong(value, SHORT_FREE) ? Infinity : sizeOf(value);
    if (size === VALUE_SIZE || this.shortFree + size <= ALL_SHORT_FREE) {
      this.shortFree += size;
      return value;
    }
    const text = this.standInFor({ kind: 'free', value, form });
    return form === 'ListValue' ? [text] : { [text]: null };
  }

  private standInFor(apart: Apart): string {
    const number = this.all.push(apart) - 1;
    return this.secret + number.toString(RADIX).padStart(NUMBER_LENGTH, '0');
  }

  private bytesFor(bytes: Uint8Array): Buffer {
    return Buffer.from(this.standInFor({ kind: 'bytes', bytes }), 'base64');
  }

  /** The stand-ins in an encoded message, in the order in which they are there. Gives how many it has looked at. */
  *foundIn(message: Buffer): Generator<number, readonly Found[], undefined> {
    const found: Found[] = [];
    yield* this.find(message, 'latin1', found);
    yield* this.find(message, 'base64', found);
    return found.sort((a, b) => a.at - b.at);
  }

  /** Those of which the bytes in the message are this of the stand-in's text. */
  private *find(
    message: Buffer,
    encoding: 'latin1' | 'base64',
    into: Found[],
  ): Generator<number, void, undefined> {
    const isText = encoding === 'latin1';
    const secret = Buffer.from(this.secret, encoding);
    const length = Buffer.byteLength(this.secret + '0'.repeat(NUMBER_LENGTH), encoding);
    for (let at = message.indexOf(secret); at >= 0; at = message.indexOf(secret, at + length)) {
      const end = at + length;
      const number = message.toString(encoding, at, end).slice(this.secret.length);
      into.push({ at, end, of: this.all[parseInt(number, RADIX)]!, isText });
      if (into.length % STEP === 0) yield STEP;
    }
  }
}
