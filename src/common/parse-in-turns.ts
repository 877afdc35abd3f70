import { LONG, longTurn, TurnCounter, VALUE_SIZE } from './long-work.js';

/** Characters, and {@link VALUE_SIZE} for each value, that are read in one piece. */
const PIECE = LONG / 2;
/** Characters of the longest escape sequence: a backslash, `u` and four digits. */
const LONGEST_ESCAPE = 6;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What may stand between the values of JSON (RFC 8259 §2). */
const NO_WHITE_SPACE = /[^ \t\n\r]/;

/** What has another meaning within a text of JSON than itself, or none (RFC 8259 §7). */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ESCAPED = /[\u0000-\u001f\\]/;

/**
 * What JSON.parse gives of a text; throws SyntaxError as it does. A long one is read in pieces, and other work runs
 * between some of them: a list or an object from one of its members to another, a text from one character to another.
 */
export async function parseInTurns(json: string): Promise<unknown> {
  if (json.length <= LONG) return JSON.parse(json);
  await longTurn();
  return new Document(json).read();
}

/** A list or an object whose end has not been reached. */
interface Level {
  readonly isList: boolean;
  readonly openAt: number;
  /** What has been read of it; undefined while that is nothing. */
  value: unknown[] | Record<string, unknown> | undefined;
  /** Where that begins which has not been read, and where the member does that has not ended. */
  from: number;
  memberAt: number;
  /** The name of that member, where it has been read. */
  name: string | undefined;
  /** The value of that member has been read: nothing may stand before its end. */
  isRead: boolean;
}

/** A text that is read by itself. */
interface LongText {
  readonly begin: number;
  readonly end: number;
}

/**
 * One long document. It is looked through once, character by character outside of texts, for where its members end. What
 * lies between two such places is read by JSON.parse, once it fills a piece; what is left at the end of a list or an
 * object that was begun in that way is read there.
 */
class Document {
  private readonly turns = new TurnCounter(LONG);
  private readonly open: Level[] = [];
  /** Where to look next. */
  private at = 0;
  /** Characters and values that were looked through since the last piece was read. */
  private unread = 0;
  /** The text in which {@link at} is: where it begins, and whether a backslash stands before `at` that counts for it. */
  private textAt: number | undefined;
  private isEscaped = false;
  /** A long text that ended just before. */
  private long: LongText | undefined;
  private root: { readonly value: unknown; readonly end: number } | undefined;

  constructor(private readonly json: string) {}

  async read(): Promise<unknown> {
    const { json } = this;
    while (this.at < json.length) {
      const turn = this.turns.next(this.look());
      if (turn !== undefined) await turn;
      if (this.long !== undefined) await this.takeLong(this.long);
    }
    if (this.open.length > 0 || this.textAt !== undefined) throw unexpected();
    if (this.root === undefined) return JSON.parse(json);
    this.expectBlank(this.root.end, json.length);
    return this.root.value;
  }

  /** Looks through the next characters, as far as something has to be read first; how much work that was. */
  private look(): number {
    const base = this.at;
    const window = this.json.slice(base, base + PIECE);
    let values = 0;
    let i = 0;
    let isFull = false;
    while (i < window.length && !isFull && this.long === undefined) {
      if (this.textAt !== undefined) {
        i = this.lookInText(window, i, base);
        continue;
      }
      switch (window.charCodeAt(i)) {
        case QUOTE:
          this.textAt = base + i + 1;
          this.isEscaped = false;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          values += 1;
          this.push(window.charCodeAt(i) === OPEN_ARRAY, base + i);
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          this.close(window.charCodeAt(i) === CLOSE_ARRAY, base + i);
          break;
        case COMMA:
          values += 1;
          isFull = this.endMember(base + i, this.unread + i + VALUE_SIZE * values);
          break;
        case COLON:
          values += 1;
          break;
      }
      i += 1;
    }
    this.at = base + i;
    const work = i + VALUE_SIZE * values;
    this.unread = isFull ? 0 : this.unread + work;
    return work;
  }

  /** Looks for the end of a text; where to go on. */
  private lookInText(window: string, from: number, base: number): number {
    for (let after = from; ;) {
      const quote = window.indexOf('"', after);
      const end = quote < 0 ? window.length : quote;
      let begin = end;
      while (begin > after && window.charCodeAt(begin - 1) === BACKSLASH) begin -= 1;
      const isFirstEscaped = begin === after && this.isEscaped;
      const isEscaped = (end - begin + (isFirstEscaped ? 1 : 0)) % 2 === 1;
      if (quote < 0) {
        this.isEscaped = isEscaped;
        return end;
      }
      this.isEscaped = false;
      after = quote + 1;
      if (isEscaped) continue;
      const text = { begin: this.textAt!, end: base + quote };
      this.textAt = undefined;
      if (text.end - text.begin > PIECE) this.long = text;
      return after;
    }
  }

  private push(isList: boolean, openAt: number): void {
    const from = openAt + 1;
    const [value, name] = [undefined, undefined];
    this.open.push({ isList, openAt, value, from, memberAt: from, name, isRead: false });
  }

  private close(isList: boolean, at: number): void {
    const level = this.open.pop();
    if (level?.isList !== isList) throw unexpected();
    if (level.value === undefined) return;
    this.readMembers(level, at);
    this.put(level.value, level.openAt, at + 1);
  }

  /** Whether something was read, because with what is behind it `unread` fills a piece. */
  private endMember(at: number, unread: number): boolean {
    const level = this.open.at(-1);
    if (level === undefined) throw unexpected();
    if (level.isRead || level.name !== undefined) this.readMembers(level, at);
    const isFull = unread >= PIECE;
    level.memberAt = at + 1;
    if (isFull) this.readTo();
    return isFull;
  }

  /** Reads the members that have ended of all that is open, and the name of the one with a value that begins at `valueAt`. */
  private readTo(valueAt?: number): void {
    const { open } = this;
    open.forEach((level, depth) => {
      const inner = open[depth + 1];
      if (inner?.value !== undefined) return;
      if (level.memberAt > level.from) this.readMembers(level, level.memberAt - 1);
      level.value ??= level.isList ? [] : {};
      const begin = inner?.openAt ?? valueAt;
      if (begin !== undefined) this.readName(level, begin);
    });
  }

  private readName(level: Level, valueAt: number): void {
    if (level.isRead) throw unexpected();
    if (level.isList || level.name !== undefined) {
      this.expectBlank(level.memberAt, valueAt);
      return;
    }
    const text = this.json.slice(level.memberAt, valueAt);
    [level.name] = Object.keys(JSON.parse(`{${text}[]}`) as object);
  }

  /** Reads what is left before the end of a member. */
  private readMembers(level: Level, end: number): void {
    const { from, isList, name, isRead } = level;
    level.from = level.memberAt = end + 1;
    level.isRead = false;
    if (isRead) {
      this.expectBlank(from, end);
      return;
    }
    const text = this.json.slice(from, end);
    if (name !== undefined) {
      add(level, JSON.parse(text));
      return;
    }
    if (!NO_WHITE_SPACE.test(text)) throw unexpected();
    if (isList) addAll(level, JSON.parse(`[${text}]`) as unknown[]);
    else addAll(level, JSON.parse(`{${text}}`) as Record<string, unknown>);
  }

  /** Takes a value that was read by itself. */
  private put(value: unknown, begin: number, end: number): void {
    const level = this.open.at(-1);
    if (level === undefined) {
      this.expectBlank(0, begin);
      this.root = { value, end };
      return;
    }
    add(level, value);
    level.from = level.memberAt = end;
    level.isRead = true;
  }

  /** Reads a long text, which is a value or the name of a member by what is behind it. */
  private async takeLong(text: LongText): Promise<void> {
    const { begin, end } = text;
    const level = this.open.at(-1);
    this.long = undefined;
    this.unread = 0;
    const colon = await this.nextAfter(end + 1);
    if (this.json.charCodeAt(colon) !== COLON) {
      this.readTo(begin - 1);
      this.put(await this.longText(text), begin - 1, end + 1);
      return;
    }
    if (level === undefined || level.isList || level.isRead || level.name !== undefined) {
      throw unexpected();
    }
    this.readTo();
    this.expectBlank(level.memberAt, begin - 1);
    level.name = await this.longText(text);
    this.at = level.from = level.memberAt = colon + 1;
  }

  /** Where something else than white space is. */
  private async nextAfter(from: number): Promise<number> {
    for (let at = from; at < this.json.length; at += PIECE) {
      const offset = this.json.slice(at, at + PIECE).search(NO_WHITE_SPACE);
      if (offset >= 0) return at + offset;
      const turn = this.turns.next(PIECE);
      if (turn !== undefined) await turn;
    }
    return this.json.length;
  }

  /** A text that JSON has between two of its quotes. */
  private async longText({ begin, end }: LongText): Promise<string> {
    const { json } = this;
    // V8 makes no copy of a slice, which would be one long stop, but keeps all of the text it is of in memory.
    if ((end - begin) * 8 > json.length * 7 && (await this.isPlain(begin, end))) {
      return json.slice(begin, end);
    }
    const texts: string[] = [];
    for (let from = begin; from < end;) {
      const to = from + PIECE < end ? cutIn(json, from, from + PIECE) : end;
      texts.push(JSON.parse(`"${json.slice(from, to)}"`) as string);
      const turn = this.turns.next(to - from);
      if (turn !== undefined) await turn;
      from = to;
    }
    return texts.join('');
  }

  /** Whether a text stands in JSON as it is. */
  private async isPlain(begin: number, end: number): Promise<boolean> {
    for (let from = begin; from < end; from += PIECE) {
      const piece = this.json.slice(from, Math.min(from + PIECE, end));
      if (ESCAPED.test(piece)) return false;
      const turn = this.turns.next(piece.length);
      if (turn !== undefined) await turn;
    }
    return true;
  }

  private expectBlank(from: number, to: number): void {
    if (NO_WHITE_SPACE.test(this.json.slice(from, to))) throw unexpected();
  }
}

function unexpected(): SyntaxError {
  return new SyntaxError('the JSON is not valid');
}

/** Adds the value of the member whose name was read, or the next one of a list. */
function add(level: Level, value: unknown): void {
  level.value ??= level.isList ? [] : {};
  if (Array.isArray(level.value)) level.value.push(value);
  else addNamed(level.value, level.name!, value);
  level.name = undefined;
}

function addAll(level: Level, members: unknown[] | Record<string, unknown>): void {
  const { value } = level;
  if (value === undefined) {
    level.value = members;
  } else if (Array.isArray(value)) {
    for (const each of members as readonly unknown[]) value.push(each);
  } else {
    for (const [name, member] of Object.entries(members)) addNamed(value, name, member);
  }
}

function addNamed(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') {
    object[name] = value;
    return;
  }
  // An ordinary assignment would set no member.
  const descriptor = { value, enumerable: true, configurable: true, writable: true };
  Object.defineProperty(object, name, descriptor);
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
