import { randomUUID } from 'node:crypto';
import { endOfText } from './json-limits.js';
import { isLong, LONG, longTurn, TurnCounter } from './long-work.js';
import { slicesOf } from './text-slices.js';

/** Characters of a text that are written in one piece. */
const PIECE = LONG / 2;
/** Characters from which a text is read apart from what is around it. */
const MARKED = 16 * 1024;
/** Bytes whose base64 is written in one piece: whole groups of three. */
const PIECE_BYTES = 3 * 128 * 1024;

/** What may stand between the values of JSON (RFC 8259 §2). */
const WHITE_SPACE = ' \t\n\r';
/** Characters of the longest escape sequence: a backslash, `u` and four digits. */
const LONGEST_ESCAPE = 6;

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
  for (const text of pieces(value)) {
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
  for (const text of pieces(value)) {
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
 * What JSON.parse gives of a text; throws SyntaxError as it does. The texts in a long one are read in
 * pieces, and other work runs between some of them. What remains, names, numbers and short texts, is read at
 * once: who bounds the values of a document bounds how long that takes.
 */
export async function parseInTurns(json: string): Promise<unknown> {
  if (json.length <= LONG) return JSON.parse(json);
  await longTurn();
  const turns = new TurnCounter();
  const marks = new Map<string, string>();
  const name = randomUUID();
  const rest: string[] = [];
  let from = 0;
  let looked = 0;
  for (let quote = json.indexOf('"'); quote >= 0; quote = json.indexOf('"', looked)) {
    const begin = quote + 1;
    const end = endOfText(json, begin);
    if (end - begin > MARKED && !isName(json, end)) {
      const mark = `${name}/${marks.size}`;
      marks.set(mark, await longText(json, begin, end, turns));
      rest.push(json.slice(from, begin), mark);
      from = end;
    }
    const turn = turns.next(end + 1 - looked);
    looked = end + 1;
    if (turn !== undefined) await turn;
  }
  rest.push(json.slice(from));
  await longTurn();
  const value: unknown = JSON.parse(rest.join(''));
  return marks.size === 0 ? value : withMarked(value, marks);
}

/** White space behind a text that is looked through for what the text is. */
const MAX_WHITE_SPACE = 1024;

/** Whether the text that ends here is the name of a member, or may be: it is not taken apart then. */
function isName(json: string, end: number): boolean {
  const begin = end + 1;
  let after = begin;
  while (after < json.length && WHITE_SPACE.includes(json.charAt(after))) {
    after += 1;
    if (after - begin > MAX_WHITE_SPACE) return true;
  }
  return json[after] === ':';
}

/** What has another meaning within a text of JSON than itself, or none (RFC 8259 §7). */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ESCAPED = /[\u0000-\u001f\\]/;

/** What JSON.stringify writes otherwise in a text, or may: a surrogate without its other half. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const TO_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/** A text that JSON has between two of its quotes. */
async function longText(
  json: string,
  begin: number,
  end: number,
  turns: TurnCounter,
): Promise<string> {
  // V8 makes no copy of a slice, which would be one long stop, but keeps all of the text it is of in memory.
  if ((end - begin) * 8 > json.length * 7 && (await isPlain(json, begin, end, turns))) {
    return json.slice(begin, end);
  }
  const texts: string[] = [];
  for (let from = begin; from < end;) {
    const to = from + PIECE < end ? cutIn(json, from, from + PIECE) : end;
    texts.push(JSON.parse(`"${json.slice(from, to)}"`) as string);
    const turn = turns.next(to - from);
    if (turn !== undefined) await turn;
    from = to;
  }
  return texts.join('');
}

/** Whether a text stands in JSON as it is. */
async function isPlain(
  json: string,
  begin: number,
  end: number,
  turns: TurnCounter,
): Promise<boolean> {
  for (let from = begin; from < end; from += PIECE) {
    const piece = json.slice(from, Math.min(from + PIECE, end));
    if (ESCAPED.test(piece)) return false;
    const turn = turns.next(piece.length);
    if (turn !== undefined) await turn;
  }
  return true;
}

/** A place at or just before `to` that is within no escape sequence of a text read from `from` on. */
function cutIn(json: string, from: number, to: number): number {
  const last = to - LONGEST_ESCAPE + json.slice(to - LONGEST_ESCAPE, to).lastIndexOf('\\');
  if (last < to - LONGEST_ESCAPE) return to;
  let before = last;
  while (before > from && json[before - 1] === '\\') before -= 1;
  const isEscaped = (last - before) % 2 === 1;
  if (isEscaped) return to;
  return last + (json[last + 1] === 'u' ? LONGEST_ESCAPE : 2) > to ? last : to;
}

/** A value with each mark in it replaced by the text that it stands for. */
function withMarked(value: unknown, marks: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return marks.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, member] of Object.entries(value)) {
    const whole = withMarked(member, marks);
    // An ordinary assignment to the name `__proto__` would set no member.
    if (whole !== member) Object.defineProperty(value, name, { value: whole });
  }
  return value;
}

/** A JSON value's text in pieces: of what is short as a whole. */
function* pieces(value: unknown): Generator<string, void, undefined> {
  if (typeof value === 'string' && value.length > PIECE) {
    yield* textPieces(value);
  } else if (value instanceof Base64 && value.bytes.byteLength > PIECE_BYTES) {
    yield* base64Pieces(value.bytes);
  } else if (typeof value !== 'object' || value === null || !isLong(value, PIECE)) {
    yield JSON.stringify(value ?? null);
  } else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value as readonly unknown[]) {
      yield before;
      yield* pieces(item);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* pieces(member);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
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
