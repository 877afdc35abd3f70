import { canonicalJson } from './canonical-json.js';
import { LONG, sizeOf, TurnCounter, VALUE_SIZE } from './long-work.js';
import { slicesOf } from './text-slices.js';

/** Characters of a text that are written in one piece. */
const PIECE = LONG / 2;
/** Bytes whose base64 is written in one piece: whole groups of three. */
const PIECE_BYTES = 3 * 128 * 1024;
/** What is no longer, by `sizeOf`, is written as a whole: some thousands of values at most. */
const SHORT = LONG / 8;
/** Values that are measured in one piece, and names that are sorted so. */
const STEP = 4096;

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
    if (characters > 0 && characters + text.length > PIECE) turns.add(close());
    texts.push(text);
    characters += text.length;
    const turn = turns.next(0);
    if (turn !== undefined) await turn;
  }
  if (characters > 0) close();
  return blocks;
}

/**
 * The same as text, where `turns` are shared by several: in pieces of half a mebibyte or more, but for the last, that are
 * not put together, which would be one long stop. None ends within an escape sequence or between two halves of a character.
 * Once they have more than `most` characters, what follows is left out.
 */
export async function textsInTurns(
  value: unknown,
  turns = new TurnCounter(),
  most = Infinity,
): Promise<string[]> {
  const whole: string[] = [];
  let texts: string[] = [];
  let characters = 0;
  let written = 0;
  const close = (): void => {
    whole.push(texts.join(''));
    texts = [];
    characters = 0;
  };
  for (const text of pieces(value, turns)) {
    texts.push(text);
    characters += text.length;
    written += text.length;
    if (characters >= PIECE) close();
    if (written > most) break;
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
    if (text !== '') take(text);
    const turn = turns.next(text.length);
    if (turn !== undefined) await turn;
  }
}

/** How a value is written: in which order its members are, and what is short. */
interface Form {
  readonly isSorted: boolean;
  readonly short: (value: unknown) => string;
}

const PLAIN: Form = {
  isSorted: false,
  short: (value) => JSON.stringify(value ?? null),
};

const CANONICAL: Form = {
  isSorted: true,
  short: (value) => {
    const json = JSON.stringify(value ?? null);
    // Bytes that are written late are texts for it.
    return typeof value === 'object' && value !== null ? canonicalJson(JSON.parse(json)) : json;
  },
};

/** What JSON.stringify writes otherwise in a text, or may: a surrogate without its other half. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const TO_ESCAPE = /[\u0000-\u001f"\\\ud800-\udfff]/;

/**
 * A JSON value's text in pieces: of what is short as a whole, or together. Each value is looked at a few times, however deep
 * it is. `turns` counts the work beside that on the characters; between any two pieces, which may be empty, can be a turn.
 */
function* pieces(
  value: unknown,
  turns: TurnCounter,
  form = PLAIN,
): Generator<string, void, undefined> {
  if (isLongText(value)) return yield* textPieces(value);
  if (isLongBase64(value)) return yield* base64Pieces(value.bytes);
  if (!isContainer(value)) return yield form.short(value);
  const sizes = new Sizes(value);
  for (let values = sizes.measure(); values > 0; values = sizes.measure()) {
    turns.add(values * VALUE_SIZE);
    yield '';
  }
  if (!sizes.isLong(value)) return yield form.short(value);
  yield* new Writer(sizes, turns, form).pieces(value);
}

/** A list or an object, and how far one has got with what is in it. */
interface Level {
  readonly value: object;
  /** Of an object. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  next: number;
  /** Nothing in it has been written. */
  isEmpty: boolean;
  /** How much there was of all before it, where that is measured. */
  readonly before: number;
}

/** Which lists and objects in a value are long by `sizeOf`, and the names of their members: all values are measured once. */
class Sizes {
  private readonly long = new Map<unknown, readonly string[] | undefined>();
  private readonly open: Level[] = [];
  private size = 0;
  private values = 0;

  constructor(value: object) {
    this.begin(value);
  }

  isLong(value: unknown): boolean {
    return this.long.has(value);
  }

  levelOf(value: object, names = this.long.get(value)): Level {
    const length = Array.isArray(value) ? value.length : names!.length;
    return { value, names, length, next: 0, isEmpty: true, before: this.size };
  }

  /** Measures the next values; how many that were, or names that it had to look at, none when all is measured. */
  measure(): number {
    for (let level = this.open.at(-1); level && this.values < STEP; level = this.open.at(-1)) {
      if (level.next < level.length) {
        this.measureIn(level);
        continue;
      }
      if (this.size - level.before > SHORT) this.long.set(level.value, level.names);
      this.open.pop();
    }
    const { values } = this;
    this.values = 0;
    return values;
  }

  /** As far as the next list or object in it, and not too much. */
  private measureIn(level: Level): void {
    const { value, names, next } = level;
    const end = Math.min(level.length, next + STEP);
    let inner: object | undefined;
    let { size } = this;
    while (level.next < end && inner === undefined) {
      const name = names?.[level.next] ?? level.next;
      level.next += 1;
      const each = (value as Readonly<Record<string | number, unknown>>)[name];
      size += VALUE_SIZE;
      if (typeof name === 'string') size += name.length;
      if (typeof each === 'string') size += each.length;
      else if (each instanceof Base64) size += each.bytes.byteLength;
      else if (isContainer(each)) inner = each;
    }
    this.size = size;
    this.values += level.next - next;
    if (inner !== undefined) this.begin(inner);
  }

  private begin(value: object): void {
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    this.values += 1 + (names?.length ?? 0);
    this.open.push(this.levelOf(value, names));
  }
}

/** Writes a value of which is known what in it is long. */
class Writer {
  private readonly open: Level[] = [];
  /** What has been written since the last piece, and how much work that was. */
  private text = '';
  private size = 0;

  constructor(
    private readonly sizes: Sizes,
    private readonly turns: TurnCounter,
    private readonly form: Form,
  ) {}

  *pieces(value: object): Generator<string, void, undefined> {
    yield* this.begin(value);
    for (let level = this.open.at(-1); level !== undefined; level = this.open.at(-1)) {
      if (level.next < level.length) {
        const long = level.names === undefined ? this.items(level) : yield* this.members(level);
        if (long !== undefined) yield* this.begin(long);
      } else {
        this.text += level.names === undefined ? ']' : '}';
        this.open.pop();
      }
      if (this.size >= SHORT) yield this.piece();
    }
    yield this.piece();
  }

  private piece(): string {
    const { text } = this;
    // Small values take longer to write than as many characters.
    this.turns.add(2 * Math.max(0, this.size - text.length));
    this.text = '';
    this.size = 0;
    return text;
  }

  private *begin(value: object | string): Generator<string, void, undefined> {
    if (typeof value === 'string' || value instanceof Base64) {
      yield this.piece();
      yield* typeof value === 'string' ? textPieces(value) : base64Pieces(value.bytes);
      return;
    }
    const level = this.sizes.levelOf(value);
    this.text += level.names === undefined ? '[' : '{';
    if (level.names === undefined || !this.form.isSorted) {
      this.open.push(level);
      return;
    }
    let { names } = level;
    for (const more of sorted(names)) {
      names = more;
      this.turns.add(more.length * VALUE_SIZE);
      yield '';
    }
    this.open.push(this.sizes.levelOf(value, names));
  }

  /** Writes the next items of a list: as many as are short, and not too many. The next long one, where that follows. */
  private items(level: Level): object | string | undefined {
    const list = level.value as readonly unknown[];
    const short: unknown[] = [];
    while (level.next < level.length && this.size < SHORT) {
      const item = list[level.next++];
      if (this.isLong(item)) {
        this.write(short, level);
        this.separate(level);
        return item;
      }
      short.push(item);
      this.size += sizeOf(item);
    }
    this.write(short, level);
    return undefined;
  }

  private write(items: readonly unknown[], level: Level): void {
    if (items.length === 0) return;
    this.separate(level);
    this.text += this.form.short(items).slice(1, -1);
  }

  /** The same of an object. */
  private *members(level: Level): Generator<string, object | string | undefined, undefined> {
    const { names, value } = level;
    while (level.next < level.length && this.size < SHORT) {
      const name = names![level.next++]!;
      const member = (value as Readonly<Record<string, unknown>>)[name];
      this.size += VALUE_SIZE;
      if (member === undefined) continue;
      this.separate(level);
      if (name.length > PIECE) {
        yield this.piece();
        yield* textPieces(name);
      } else {
        this.text += JSON.stringify(name);
        this.size += name.length;
      }
      this.text += ':';
      if (this.isLong(member)) return member;
      this.text += this.form.short(member);
      this.size += sizeOf(member) - VALUE_SIZE;
    }
    return undefined;
  }

  private separate(level: Level): void {
    if (!level.isEmpty) this.text += ',';
    level.isEmpty = false;
  }

  private isLong(value: unknown): value is object | string {
    return isLongText(value) || isLongBase64(value) || this.sizes.isLong(value);
  }
}

/** Whether a JSON value is a list or an object; bytes that are written as base64 are neither. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isBytes(value);
}

function isBytes(value: object): boolean {
  return value instanceof Base64 || value instanceof Uint8Array;
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length > PIECE;
}

function isLongBase64(value: unknown): value is Base64 {
  return value instanceof Base64 && value.bytes.byteLength > PIECE_BYTES;
}

/** Sorts names step by step; gives what has been sorted last, at the end all of them. */
function* sorted(names: readonly string[]): Generator<readonly string[], void, undefined> {
  let runs: string[][] = [];
  for (let from = 0; from === 0 || from < names.length; from += STEP) {
    const run = names.slice(from, from + STEP).sort();
    runs.push(run);
    yield run;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      // Of two that are sorted, the sort takes only what it costs to merge them.
      const run = runs[i]!.concat(runs[i + 1] ?? []).sort();
      merged.push(run);
      yield run;
    }
    runs = merged;
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
