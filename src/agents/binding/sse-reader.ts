import type { Readable } from 'node:stream';
import { ByteCollector } from '../../common/byte-collector.js';
import { LongStream } from '../../common/long-work.js';
import { checkJsonLimits, JsonMeter, type JsonLimits } from '../../common/json-limits.js';

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
}

/** As long to work on as a line, whatever is in it, are so many bytes of a text; as a line that is passed over, so many. */
const LINE_BYTES = 40;
const OTHER_BYTES = 4;
/** Bytes of lines that bring no event, after which others get a turn, also within what arrived together. */
const OTHERS_AT_ONCE = 64 * 1024;

/** A stream may begin with it; .NET's writers do so. */
const BYTE_ORDER_MARK = '\ufeff';
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
/** What lines of fields that count begin with: `data` and `event`. */
const FIELDS = [...'de'].map((letter) => letter.charCodeAt(0));
/** In lines up to so long, a look at each byte is quicker than a search by the runtime. */
const SHORT_LINE = 32;
/** An event of fewer characters is within all limits of values; its nesting is looked at when it is decoded. */
const METERED = 4096;

/**
 * Reads events as they arrive. Comments, ids and unknown fields are skipped. What follows the last
 * empty line is given as well: agents that close after their last event may leave that line out.
 * Rejects with {@link SseEventTooLargeError}, with JsonLimitError for an event that must not be parsed, or
 * with the body's error when it breaks off.
 */
export async function* readSse(
  body: Readable,
  { json, reserve }: SseOptions,
): AsyncGenerator<SseEvent, void, undefined> {
  const event = new EventBuilder(json);
  /** A line whose end has not arrived; counted as it comes, so that it is given up at the first byte too many. */
  const rest = new ByteCollector();
  let meter = new JsonMeter(json);
  const add = (part: Buffer): void => {
    if (rest.size === 0) meter = new JsonMeter(json);
    meter.add(part);
    rest.add(part);
  };
  /** Lines that bring no event: an agent may send any number of them. */
  const lines = new LongStream();
  let isFirst = true;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let start = 0;
    let others = 0;
    while (start < chunk.length) {
      if (others > OTHERS_AT_ONCE) {
        const turn = lines.next(others);
        others = 0;
        if (turn !== undefined) await turn;
      }
      const end = endOfLine(chunk, start);
      if (end < 0) break;
      const from = start;
      start = end + 1;
      const isWhole = rest.size === 0;
      if (isWhole && !isFirst && isOther(chunk[from]!, event)) {
        others += OTHER_BYTES + end - from;
        continue;
      }
      if (!isWhole) add(chunk.subarray(from, end));
      const before = event.size;
      let line = isWhole ? textOf(chunk, from, end) : await lineOf(rest);
      if (isFirst && line.startsWith(BYTE_ORDER_MARK)) line = line.slice(1);
      isFirst = false;
      const done = event.line(line, !isWhole);
      if (done === undefined) {
        others += LINE_BYTES + (event.size === before ? line.length : 0);
        continue;
      }
      yield done;
      void reserve?.(0);
    }
    if (start < chunk.length) add(chunk.subarray(start));
    const size = event.size + rest.size;
    if (size > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
    const reserved = reserve?.(size);
    if (reserved !== undefined) await reserved;
    const turn = lines.next(others);
    if (turn !== undefined) await turn;
  }
  if (rest.size > 0) event.line(await lineOf(rest), true);
  const last = event.line('');
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

/** A line is text without the carriage return before its end. */
function textOf(chunk: Buffer, start: number, end: number): string {
  return chunk.toString('utf8', start, chunk[end - 1] === RETURN ? end - 1 : end);
}

/** A line that came in pieces. */
async function lineOf(rest: ByteCollector): Promise<string> {
  const line = await rest.text();
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

class EventBuilder {
  private type = 'message';
  private data: string[] = [];
  private characters = 0;
  /** All of it is one line that was counted as it came. */
  private isMetered = false;

  constructor(private readonly limits: JsonLimits) {}

  /** Nothing has come of it. */
  get isEmpty(): boolean {
    return this.data.length === 0 && this.type === 'message';
  }

  /** What has come of it, roughly in bytes. */
  get size(): number {
    return this.characters;
  }

  /** Takes one line, which was counted or not; an empty one ends the event. */
  line(line: string, isMetered = false): SseEvent | undefined {
    if (line === '') return this.end();
    const colon = line.indexOf(':');
    if (colon <= 0) return undefined;
    const field = line.slice(0, colon);
    if (field !== 'data' && field !== 'event') return undefined;
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.type = value;
    else {
      this.data.push(value);
      this.isMetered = isMetered && this.data.length === 1;
      this.characters += line.length;
    }
    if (this.characters > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
    return undefined;
  }

  private end(): SseEvent | undefined {
    const { type, characters, isMetered } = this;
    const data = this.data.length === 1 ? this.data[0]! : this.data.join('\n');
    const isEvent = this.data.length > 0;
    this.type = 'message';
    this.data = [];
    this.characters = 0;
    if (!isEvent) return undefined;
    if (characters > METERED && !isMetered) checkJsonLimits(data, this.limits);
    return { type, data, complete: true };
  }
}
