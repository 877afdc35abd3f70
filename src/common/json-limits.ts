/** The deepest nesting of objects and arrays in JSON that the hub takes from anybody: what every reader of it can follow. */
export const MAX_NESTING = 64;

/** What JSON from outside may hold before anything of it is parsed. */
export interface JsonLimits {
  /**
   * The most values, counted by the structural characters outside of texts (`{`, `[`, `,` and `:`): an
   * upper bound of what a parser would allocate.
   */
  readonly maxValues: number;
  /** The most levels of objects and arrays in each other; a bare object is one level. */
  readonly maxNesting: number;
}

/** JSON that passes a limit. The message completes a sentence: "has more than 50000 values". */
export class JsonLimitError extends Error {
  override readonly name = 'JsonLimitError';

  /** `isTooMuch`: by how much it is, rather than by what is in it. */
  constructor(
    message: string,
    readonly isTooMuch = false,
  ) {
    super(message);
  }
}

/** Digits of one number at most: it is parsed in one piece, however long it is, and no reader keeps so many. */
export const MAX_DIGITS = 1024;

/** Bytes of a text after which it counts as long, and how many are then looked through at once. */
const LONG_TEXT = 64;
const LOOK_AHEAD = 4096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** All white space of JSON is up to here. */
const SPACE = 0x20;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Counts the values and the nesting of JSON while its bytes arrive, so that a document is refused at the
 * first byte that is one too many and before it is parsed. About a nanosecond a byte; it does not check
 * that the text is JSON.
 */
export class JsonMeter {
  private values = 0;
  private nesting = 0;
  private inText = false;
  private escaped = false;
  /** Of the number that it is in. */
  private digits = 0;

  constructor(private readonly limits: JsonLimits) {}

  /** Takes the next bytes of UTF-8; a character may be split between two calls. Throws {@link JsonLimitError}. */
  add(bytes: Uint8Array): void {
    let looked = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i]!;
      if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) this.inText = false;
        else if (++looked >= LONG_TEXT) {
          // Of long texts only the next byte that matters is looked for, which is much quicker.
          looked = 0;
          i = nextInText(bytes, i + 1) - 1;
        }
        continue;
      }
      looked = 0;
      if (byte <= SPACE) {
        this.digits = 0;
        continue;
      }
      switch (byte) {
        case QUOTE:
          this.inText = true;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          this.nest();
          this.count();
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          this.nesting -= 1;
          break;
        case COMMA:
        case COLON:
          this.count();
          break;
        default:
          // All but the digits of a number is short, or no JSON.
          if (byte >= DIGIT_0 && byte <= DIGIT_9) this.countDigit();
          continue;
      }
      this.digits = 0;
    }
  }

  private countDigit(): void {
    this.digits += 1;
    if (this.digits > MAX_DIGITS) {
      throw new JsonLimitError(`has a number of more than ${MAX_DIGITS} digits`);
    }
  }

  private nest(): void {
    this.nesting += 1;
    if (this.nesting > this.limits.maxNesting) {
      throw new JsonLimitError(`is nested more than ${this.limits.maxNesting} levels deep`);
    }
  }

  private count(): void {
    this.values += 1;
    if (this.values > this.limits.maxValues) {
      throw new JsonLimitError(`has more than ${this.limits.maxValues} values`, true);
    }
  }
}

/** Where the next quote or backslash is, looking no further than a while; a place before it otherwise. */
function nextInText(bytes: Uint8Array, from: number): number {
  const window = bytes.subarray(from, from + LOOK_AHEAD);
  const quote = window.indexOf(QUOTE);
  const before = quote < 0 ? window : window.subarray(0, quote);
  const backslash = before.indexOf(BACKSLASH);
  return from + (backslash < 0 ? before.length : backslash);
}

/** Throws {@link JsonLimitError} when JSON that is there whole passes a limit. */
export function checkJsonLimits(json: Uint8Array | string, limits: JsonLimits): void {
  new JsonMeter(limits).add(typeof json === 'string' ? Buffer.from(json) : json);
}

/**
 * The values in JSON that is there whole, counted as {@link JsonLimits} says. It makes no copy, and passes over texts as
 * quickly as a character can be looked for.
 */
export function countValues(...pieces: readonly string[]): number {
  const counter = new ValueCounter();
  for (const piece of pieces) counter.add(piece);
  return counter.values;
}

/** {@link countValues} of a text that comes in pieces, wherever it is cut. */
export class ValueCounter {
  values = 0;
  private isInText = false;
  /** The piece before ended with a backslash that counts for what is next. */
  private isEscaped = false;

  add(json: string): void {
    let i = 0;
    if (this.isEscaped && json.length > 0) {
      this.isEscaped = false;
      i = 1;
    }
    for (; i < json.length; i += 1) {
      if (this.isInText) {
        i = this.passText(json, i);
        continue;
      }
      switch (json.charCodeAt(i)) {
        case QUOTE:
          this.isInText = true;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
        case COMMA:
        case COLON:
          this.values += 1;
          break;
      }
    }
  }

  private passText(json: string, from: number): number {
    const end = endOfText(json, from);
    this.isInText = end === json.length;
    if (!this.isInText) return end;
    let last = end;
    while (last > from && json.charCodeAt(last - 1) === BACKSLASH) last -= 1;
    this.isEscaped = (end - last) % 2 === 1;
    return end;
  }
}

/** Where the quote is that ends a text which begins here; the end of the JSON without one. */
export function endOfText(json: string, from: number): number {
  for (let after = from; ;) {
    const quote = json.indexOf('"', after);
    if (quote < 0) return json.length;
    let backslash = quote - 1;
    while (backslash >= after && json.charCodeAt(backslash) === BACKSLASH) backslash -= 1;
    if ((quote - backslash) % 2 === 1) return quote;
    after = quote + 1;
  }
}

/**
 * Whether a parsed value has at most so many levels of objects and arrays in each other, and finite numbers alone: protobuf has
 * others, and so has JSON by what it lets overflow (1e999), which JSON cannot say again.
 */
export function isFiniteWithin(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (!isFiniteWithin(member, levels - 1)) return false;
  }
  return true;
}
