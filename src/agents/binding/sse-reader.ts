import type { Readable } from 'node:stream';
import { ByteCollector } from '../../common/byte-collector.js';
import { LongStream } from '../../common/long-work.js';
import { JsonLimitError, JsonMeter, type JsonLimits } from '../../common/json-limits.js';
import { type PieceCount, TOO_SMALL_PIECES, tooSmallPieces } from '../../common/small-pieces.js';

/** One server-sent event. Several `data:` lines are joined by line feeds, as the standard says. */
export interface SseEvent {
  /** `message` unless the server named another. */
  readonly type: string;
  readonly data: string;
  /** False when the stream ended before the event did. */
  readonly complete: boolean;
}

/** Bytes of one event at most; what is larger is not read to its end. */
export const SSE_EVENT_LIMIT = 16 * 1024 * 1024;

/** One event was larger than {@link SSE_EVENT_LIMIT}. */
export class SseEventTooLargeError extends Error {
  override readonly name = 'SseEventTooLargeError';

  constructor() {
    super(`the agent's stream holds an event over ${SSE_EVENT_LIMIT / 1024 / 1024} MiB`);
  }
}

export interface SseOptions {
  /** What the JSON of one event may hold. */
  readonly json: JsonLimits;
  /**
   * Told how many bytes of the event under way are held by now; what it returns is waited for before
   * more is read. Bytes of an event that was given count until the next one is asked for.
   */
  readonly reserve?: (bytes: number) => Promise<void> | undefined;
  /** Of the body; its own pieces are as many without it. */
  readonly pieces?: PieceCount | undefined;
}

/** As long to work on as a line, whatever is in it, are so many bytes of a text; as a line that is passed over, so many. */
const LINE_BYTES = 40;
const OTHER_BYTES = 4;
/** As long as a piece of the stream that waited with others, to be taken from the connection. */
const PIECE_BYTES = 256;
/** Bytes of lines that bring no event, after which others get a turn, also within what arrived together. */
const OTHERS_AT_ONCE = 64 * 1024;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
/** What lines of fields that count begin with: `data` and `event`. */
const FIELDS = [...'de'].map((letter) => letter.charCodeAt(0));
const DATA = 'data:';
/** A stream may begin with it; .NET's writers do so. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
/** In lines up to so long, a look at each byte is quicker than a search by the runtime. */
const SHORT_LINE = 32;
/** What each further line of an event takes in memory, in bytes, beside what is in it. */
const FURTHER_LINE = 24;
/** An event of fewer bytes is within all limits of values; its nesting is looked at when it is decoded. */
const METERED = 4096;

/**
 * Reads events as they arrive. Lines end with a line feed, or a carriage return before it. Comments, ids, unknown fields and
 * events of white space alone are passed over. What follows the last
 * empty line is given as well: agents that close after their last event may leave that line out.
 * Rejects with {@link SseEventTooLargeError}, with JsonLimitError for an event that must not be parsed or comes in very many tiny
 * pieces, or with the body's error when it breaks off.
 */
export async function* readSse(
  body: Readable,
  { json, reserve, pieces }: SseOptions,
): AsyncGenerator<SseEvent, void, undefined> {
  const event = new EventBuilder(json);
  const open = new OpenLine(event);
  const mark = new LeadingMark();
  const ofEvent = new EventPieces();
  /** Lines that bring no event: an agent may send any number of them. */
  const lines = new LongStream();
  for await (const arrived of body as AsyncIterable<Buffer>) {
    const chunk = mark.isOver ? arrived : mark.after(arrived);
    let start = 0;
    const count = pieces?.next() ?? 1;
    let others = LINE_BYTES + PIECE_BYTES * (count - 1);
    let hasEvent = false;
    while (start < chunk.length) {
      if (others > OTHERS_AT_ONCE) {
        const turn = lines.next(others);
        others = 0;
        if (turn !== undefined) await turn;
      }
      const from = start;
      const feed = endOfLine(chunk, from);
      const end = feed < 0 ? chunk.length : feed;
      start = end + 1;
      if (open.isPassedOver || (open.size === 0 && isOther(chunk[from]!, event))) {
        open.isPassedOver = feed < 0;
        others += OTHER_BYTES + end - from;
        continue;
      }
      let done: SseEvent | undefined;
      if (feed >= 0 && open.size === 0) done = event.whole(chunk, from, end);
      else {
        open.add(chunk.subarray(from, end));
        if (feed < 0) break;
        const { size } = open;
        done = event.line(await open.text(), size);
      }
      others += LINE_BYTES;
      if (done === undefined) continue;
      hasEvent = true;
      yield done;
      void reserve?.(0);
    }
    const isSame = !hasEvent && (open.size > 0 || !event.isEmpty);
    ofEvent.add(count, chunk.length, isSame);
    const size = event.size + open.size;
    if (size > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
    const reserved = reserve?.(size);
    if (reserved !== undefined) await reserved;
    const turn = lines.next(others);
    if (turn !== undefined) await turn;
  }
  const { size } = open;
  if (size > 0) event.line(await open.text(), size);
  const last = event.end();
  if (last) yield { ...last, complete: false };
}

/** Where the line that begins at `start` has its line feed; negative when that has not arrived. */
function endOfLine(chunk: Buffer, start: number): number {
  const short = Math.min(start + SHORT_LINE, chunk.length);
  for (let at = start; at < short; at++) if (chunk[at] === LINE_FEED) return at;
  return chunk.indexOf(LINE_FEED, short);
}

/** Whether a line that begins with this byte brings nothing: it is no field that counts, and ends no event. */
function isOther(first: number, event: EventBuilder): boolean {
  if (first === LINE_FEED || first === RETURN) return event.isEmpty;
  return !FIELDS.includes(first);
}

/** What a stream may begin with, and no reader is to see. */
class LeadingMark {
  isOver = false;
  private held: Buffer = Buffer.alloc(0);

  /** What of the stream is to be read, after another piece of it. */
  after(piece: Buffer): Buffer {
    const begun = Buffer.concat([this.held, piece]);
    const length = Math.min(begun.length, BYTE_ORDER_MARK.length);
    const isMark = begun.compare(BYTE_ORDER_MARK, 0, length, 0, length) === 0;
    if (isMark && length < BYTE_ORDER_MARK.length) {
      this.held = begun;
      return begun.subarray(0, 0);
    }
    this.isOver = true;
    return isMark ? begun.subarray(length) : begun;
  }
}

/** In how many pieces an event comes: each costs a hundred bytes and more. */
class EventPieces {
  private count = 0;
  private bytes = 0;

  /** After pieces of the stream. `isSame`: they all were of one event, which goes on. */
  add(count: number, bytes: number, isSame: boolean): void {
    this.count = isSame ? this.count + count : 0;
    this.bytes = isSame ? this.bytes + bytes : 0;
    if (tooSmallPieces(this.count, this.bytes)) throw new JsonLimitError(TOO_SMALL_PIECES);
  }
}

/** A line whose end has not arrived; its data is counted as it comes, and given up at the first value too many. */
class OpenLine {
  /** Nothing of it is needed. */
  isPassedOver = false;
  private readonly bytes = new ByteCollector();
  private head = '';
  /** Its data, not counted while the event is short. */
  private uncounted: Buffer[] = [];

  constructor(private readonly event: EventBuilder) {}

  get size(): number {
    return this.bytes.size;
  }

  add(part: Buffer): void {
    if (this.bytes.size === 0) this.head = '';
    const missing = DATA.length - this.head.length;
    if (missing > 0) this.head += part.toString('latin1', 0, missing);
    this.bytes.add(part);
    if (this.head === DATA) this.uncounted.push(missing > 0 ? part.subarray(missing) : part);
    if (this.event.isCounted(this.bytes.size)) this.count();
  }

  /** The line whole, without a carriage return before its end; the next one begins. */
  async text(): Promise<string> {
    this.uncounted = [];
    const line = await this.bytes.text();
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  private count(): void {
    for (const part of this.uncounted) this.event.count(part);
    this.uncounted = [];
  }
}

class EventBuilder {
  private type = 'message';
  private data: string[] = [];
  private bytes = 0;
  private meter: JsonMeter | undefined;

  constructor(private readonly limits: JsonLimits) {}

  /** Nothing has come of it. */
  get isEmpty(): boolean {
    return this.data.length === 0 && this.type === 'message';
  }

  /** Bytes of the lines with its data. */
  get size(): number {
    return this.bytes;
  }

  /** Takes a line that arrived whole. */
  whole(chunk: Buffer, start: number, end: number): SseEvent | undefined {
    const size = end - start;
    // A carriage return before the line's end belongs to it.
    const line = chunk.toString('utf8', start, chunk[end - 1] === RETURN ? end - 1 : end);
    if (this.isCounted(size) && line.startsWith(DATA)) {
      this.count(chunk.subarray(start + DATA.length, end));
    }
    return this.line(line, size);
  }

  /** Whether its data is counted once so many bytes more have come. */
  isCounted(more: number): boolean {
    return this.meter !== undefined || this.bytes + more > METERED;
  }

  /** Counts a piece of its data. */
  count(part: Buffer): void {
    if (this.meter === undefined) {
      this.meter = new JsonMeter(this.limits);
      for (const line of this.data) this.meter.add(Buffer.from(line));
    }
    this.meter.add(part);
  }

  /** Takes a line of so many bytes that was counted, or is short; an empty one ends the event. */
  line(line: string, size: number): SseEvent | undefined {
    if (line === '') return this.isBlank() ? this.clear() : this.end();
    const colon = line.indexOf(':');
    if (colon <= 0) return undefined;
    const field = line.slice(0, colon);
    if (field !== 'data' && field !== 'event') return undefined;
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.type = value;
    else {
      this.bytes += size + (this.data.length > 0 ? FURTHER_LINE : 0);
      this.data.push(value);
    }
    if (this.bytes > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
    return undefined;
  }

  /** Servers send it to keep the connection open. */
  private isBlank(): boolean {
    return this.type !== 'error' && this.data.every((line) => line.trim() === '');
  }

  /** What has come, as an event; another one begins. */
  end(): SseEvent | undefined {
    const { type, data } = this;
    this.clear();
    if (data.length === 0) return undefined;
    return { type, data: data.length === 1 ? data[0]! : data.join('\n'), complete: true };
  }

  private clear(): undefined {
    this.type = 'message';
    this.data = [];
    this.bytes = 0;
    this.meter = undefined;
    return undefined;
  }
}
