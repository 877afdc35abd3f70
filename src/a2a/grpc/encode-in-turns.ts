import { randomBytes } from 'node:crypto';
import { Base64 } from '../../common/json-in-turns.js';
import { isLong, longTurn, TurnCounter, VALUE_SIZE } from '../../common/long-work.js';
import { slicesOf } from '../../common/text-slices.js';
import { type Insert, PIECE, withInserts } from './protobuf-inserts.js';

/** Characters or bytes from which a text or bytes are written apart from the message they are in. */
const APART = 64;
/** Values that are worked on in one step. */
const STEP = 4096;

/**
 * The message that `encode` makes of wire JSON. Of a long value it is given only what is short, with stand-ins for
 * the rest: long texts and bytes are written into the message afterwards, in turns of the event loop.
 */
export function encodeInTurns(
  json: unknown,
  encode: (json: unknown) => Buffer,
): Buffer | Promise<Buffer> {
  return isLong(json) ? encodeLong(json, encode) : encode(json);
}

async function encodeLong(json: unknown, encode: (json: unknown) => Buffer): Promise<Buffer> {
  await longTurn();
  const turns = new TurnCounter();
  const standIns = new StandIns();
  const short = await inTurns(standIns.putInto(json), turns);
  await longTurn();
  const message = encode(short);
  await longTurn();
  const inserts: Insert[] = [];
  for (const found of await inTurns(standIns.foundIn(message), turns)) {
    const turn = turns.next(VALUE_SIZE);
    if (turn !== undefined) await turn;
    inserts.push(await insertOf(found, turns));
  }
  await longTurn();
  return withInserts(message, inserts, turns);
}

/** Runs steps of work on so many values; gives what comes of them. */
async function inTurns<T>(steps: Generator<number, T, undefined>, turns: TurnCounter): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = turns.next(step.value * VALUE_SIZE);
    if (turn !== undefined) await turn;
  }
}

async function insertOf({ at, end, value, isText }: Found, turns: TurnCounter): Promise<Insert> {
  if (typeof value !== 'string') return { at, end, value, length: value.byteLength };
  if (isText) return { at, end, value, length: await utf8Length(value, turns) };
  const bytes = Buffer.from(value, 'base64');
  const turn = turns.next(value.length);
  if (turn !== undefined) await turn;
  return { at, end, value: bytes, length: bytes.byteLength };
}

async function utf8Length(text: string, turns: TurnCounter): Promise<number> {
  let length = 0;
  for (const slice of slicesOf(text, PIECE)) {
    length += Buffer.byteLength(slice);
    const turn = turns.next(slice.length);
    if (turn !== undefined) await turn;
  }
  return length;
}

/** A stand-in is a text that nobody can guess, and a number: all of it base64, with nothing left over. */
const SECRET_BYTES = 12;
const SECRET_LENGTH = (SECRET_BYTES / 3) * 4;
const NUMBER_LENGTH = 8;
const RADIX = 36;

/** Where in a message a stand-in is, and for what: a text that is there as the bytes of which it is the base64 is no text there. */
interface Found {
  readonly at: number;
  readonly end: number;
  readonly value: string | Uint8Array;
  readonly isText: boolean;
}

/**
 * Stands in for long texts and bytes in one JSON value. A text may be the base64 of a file, which is decoded when it is
 * encoded: so may its stand-in be.
 */
class StandIns {
  private readonly secret = randomBytes(SECRET_BYTES).toString('base64');
  private readonly values: (string | Uint8Array)[] = [];
  private seen = 0;

  /** The same value with stand-ins; what has nothing long in it is not copied. Gives how many values it has looked at. */
  *putInto(value: unknown): Generator<number, unknown, undefined> {
    if (!isContainer(value)) return this.put(value);
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    const length = names?.length ?? (value as readonly unknown[]).length;
    let copy: Record<string | number, unknown> | undefined;
    for (let i = 0; i < length; i += 1) {
      if (++this.seen % STEP === 0) yield STEP;
      const name = names?.[i] ?? i;
      const member = (value as Readonly<Record<string | number, unknown>>)[name];
      const put = isContainer(member) ? yield* this.putInto(member) : this.put(member);
      if (put === member) continue;
      copy ??= (Array.isArray(value) ? value.slice() : { ...value }) as typeof copy & object;
      copy[name] = put;
    }
    return copy ?? value;
  }

  private put(value: unknown): unknown {
    if (typeof value === 'string') {
      return value.length < APART ? value : this.standInFor(value);
    }
    if (value instanceof Uint8Array) {
      return value.byteLength < APART ? value : this.bytesFor(value);
    }
    if (value instanceof Base64) {
      const { bytes } = value;
      return bytes.byteLength < APART ? value : new Base64(this.bytesFor(bytes));
    }
    return value;
  }

  private standInFor(value: string | Uint8Array): string {
    const number = this.values.push(value) - 1;
    return this.secret + number.toString(RADIX).padStart(NUMBER_LENGTH, '0');
  }

  private bytesFor(value: Uint8Array): Buffer {
    return Buffer.from(this.standInFor(value), 'base64');
  }

  /** The stand-ins in an encoded message, in the order in which they are there. Gives how many it has found. */
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
      const number = message.toString(encoding, at, end).slice(SECRET_LENGTH);
      into.push({ at, end, value: this.values[parseInt(number, RADIX)]!, isText });
      if (into.length % STEP === 0) yield STEP;
    }
  }
}

function isContainer(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Base64)
  );
}
