import { canonicalJson } from './canonical-json.js';
import { isLong, LONG, sizeWithin, TurnCounter } from './long-work.js';
import { slicesOf } from './text-slices.js';

/** Characters of a text that are written in one piece. */
const PIECE = LONG / 2;
/** Bytes whose base64 is written in one piece: whole groups of three. */
const PIECE_BYTES = 3 * 128 * 1024;

/** Bytes in a JSON value that are written as their base64; made when it is written, not before. */
export class Base64 {
  constructor(readonly bytes: Uint8Array) {}

  toJSON(): string {
    return base64Of(this.bytes);
  }
}

/**
 * The text that JSON.stringify gives of a JSON value, as UTF-8 in blocks. No block is longer than about
 * half a mebibyte however long one text in the value is, and other work runs between some of them.
 */
export async function jsonInTurns(value: unknown): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  const turns = new TurnCounter();
  let texts: string[] = [];
  let characters = 0;
  const close = (): number => {
    const block = Buffer.from(texts.join(''));
    blocks.push(block);
    texts = [];
    characters = 0;
    return block.length;
  };
  for (const text of pieces(value, turns)) {
    if (characters > 0 && characters + text.length > PIECE) {
      const turn = turns.next(close());
      if (turn !== undefined) await turn;
    }
    texts.push(text);
    characters += text.length;
  }
  if (characters > 0) close();
  return blocks;
}

/**
 * The same as text, where `turns` are shared by several: in pieces of half a mebibyte or more, but for the last, that are
 * not put together, which would be one long stop. None ends within an escape sequence or between two halves of a character.
 */
export async function textsInTurns(value: unknown, turns = new TurnCounter()): Promise<string[]> {
  const whole: string[] = [];
  let texts: string[] = [];
  let characters = 0;
  const close = (): void => {
    whole.push(texts.join(''));
    texts = [];
    characters = 0;
  };
  for (const text of pieces(value, turns)) {
    texts.push(text);
    characters += text.length;
    if (characters >= PIECE) close();
    const turn = turns.next(text.length);
    if (turn !== undefined) await turn;
  }
  if (characters > 0) close();
  return whole;
}

/**
 * Gives `take` the text that {@link canonicalJson} gives of a JSON value, in pieces, and other work runs between some
 * of them.
 */
export async function canonicalInTurns(
  value: unknown,
  take: (piece: string) => void,
): Promise<void> {
  const turns = new TurnCounter(LONG);
  for (const text of pieces(value, turns, CANONICAL)) {
    take(text);
    const turn = turns.next(text.length);
    if (turn !== undefined) await turn;
  }
}

/** How a value is written: in which order its members are, and what is short. */
interface Form {
  readonly names: (object: object) => readonly string[];
  readonly short: (value: unknown) => string;
}

const PLAIN: Form = {
  names: (object) => Object.keys(object),
  short: (value) => JSON.stringify(value ?? null),
};

const CANONICAL: Form = {
  names: (object) => Object.keys(object).sort(),
  // Bytes that are written late are texts for it.
  short: (value) => canonicalJson(JSON.parse(JSON.stringify(value ?? null))),
};

/** What JSON.stringify writes otherwise in a text, or may: a surrogate without its other half. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const TO_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** A JSON value's text in pieces: of what is short as a whole, or together. `turns` counts the values in that. */
function* pieces(
  value: unknown,
  turns: TurnCounter,
  form = PLAIN,
): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > PIECE) {
    yield* textPieces(value);
  } else if (value instanceof Base64 && value.bytes.byteLength > PIECE_BYTES) {
    yield* base64Pieces(value.bytes);
  } else if (typeof value !== 'object' || value === null || !isLong(value, PIECE)) {
    yield form.short(value);
  } else if (Array.isArray(value)) {
    yield* listPieces(value, turns, form);
  } else {
    yield* objectPieces(value, turns, form);
  }
}

function* listPieces(
  list: readonly unknown[],
  turns: TurnCounter,
  form: Form,
): Generator<string, void, undefined> {
  let before = '[';
  let short: unknown[] = [];
  let size = 0;
  const written = (): string => {
    const text = before + form.short(short).slice(1, -1);
    turns.add(Math.max(0, size - text.length));
    before = ',';
    short = [];
    size = 0;
    return text;
  };
  for (const item of list) {
    const length = sizeWithin(item, PIECE);
    if (length !== undefined) {
      short.push(item);
      size += length;
      if (size >= PIECE) yield written();
      continue;
    }
    if (short.length > 0) yield written();
    yield before;
    yield* pieces(item, turns, form);
    before = ',';
  }
  if (short.length > 0) yield written();
  yield ']';
}

function* objectPieces(
  object: object,
  turns: TurnCounter,
  form: Form,
): Generator<string, void, undefined> {
  let text = '{';
  let before = '';
  let size = 0;
  const counted = (): string => {
    turns.add(Math.max(0, size - text.length));
    const whole = text;
    text = '';
    size = 0;
    return whole;
  };
  for (const name of form.names(object)) {
    const member = (object as Readonly<Record<string, unknown>>)[name];
    if (member === undefined) continue;
    text += before;
    before = ',';
    if (name.length > PIECE) {
      yield counted();
      yield* textPieces(name);
    } else {
      text += JSON.stringify(name);
    }
    text += ':';
    const length = sizeWithin(member, PIECE);
    if (length === undefined) {
      yield counted();
      yield* pieces(member, turns, form);
      continue;
    }
    text += form.short(member);
    size += name.length + length;
    if (size >= PIECE) yield counted();
  }
  text += '}';
  yield counted();
}

function* textPieces(text: string): Generator<string, void, undefined> {
  yield '"';
  for (const slice of slicesOf(text, PIECE)) {
    yield TO_ESCAPE.test(slice) ? JSON.stringify(slice).slice(1, -1) : slice;
  }
  yield '"';
}

function* base64Pieces(bytes: Uint8Array): Generator<string, void, undefined> {
  yield '"';
  for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES) {
    yield base64Of(bytes.subarray(from, from + PIECE_BYTES));
  }
  yield '"';
}

/** Without a copy of the bytes. */
export function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
