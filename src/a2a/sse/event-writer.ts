import type { ServerResponse } from 'node:http';
import { FEED_HEADERS } from '../../common/http/event-feed.js';
import { onceClosed } from '../../common/http/once-closed.js';
import { cutUp } from '../limits/answer-budget.js';
import { Outbox } from '../outbox.js';

export interface EventWriterOptions {
  /** The pause after which a silent stream gets a comment; 0 for none. */
  readonly heartbeatMs: number;
  /** A reader that leaves more than this unread is dropped. */
  readonly bufferBytes: number;
}

/** What JSON may hold as it is and Unicode takes for the end of a line; Server-Sent Events do not. */
const LINE_ENDS = /[\u0085\u2028\u2029]/;
const ALL_LINE_ENDS = new RegExp(LINE_ENDS, 'g');

/** JSON without the ends of lines at which clients split that go by Unicode (httpx below SSE clients of Python). */
function onOneLine(json: string): string {
  if (!LINE_ENDS.test(json)) return json;
  return json.replace(
    ALL_LINE_ENDS,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const LINE_END_BYTES = ['\u0085', '\u2028', '\u2029'].map((end) => Buffer.from(end));

/** The same of a block of it, which ends within no character. */
function blockOnOneLine(block: Buffer): Buffer {
  if (!LINE_END_BYTES.some((end) => block.includes(end))) return block;
  return Buffer.from(onOneLine(block.toString()));
}

/** Each block is looked through when its turn to be written comes. */
function* blocksOfEvent(
  seq: number | undefined,
  json: readonly Buffer[],
): Generator<Buffer, void, undefined> {
  yield Buffer.from(headOf(seq));
  for (const block of json) yield blockOnOneLine(block);
  yield Buffer.from(EVENT_END);
}

const EVENT_END = '\n\n';

function headOf(seq: number | undefined): string {
  return seq === undefined ? 'data: ' : `id: ${seq}\ndata: `;
}

/**
 * Writes Server-Sent Events on a raw HTTP answer. A reader that leaves too much unread is dropped: its
 * connection is closed.
 */
export class EventWriter {
  private readonly outbox: Outbox<string>;
  private ending = false;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly raw: ServerResponse,
    private readonly options: EventWriterOptions,
  ) {
    this.outbox = new Outbox(
      {
        closed: () => this.closed,
        write: (texts, left) => raw.write(texts.join(''), left),
        piecesOf: (text) => cutUp([Buffer.from(text)]),
        writePiece: (piece, left) => raw.write(piece, left),
        overflow: () => raw.destroy(),
      },
      options.bufferBytes,
    );
    // Also of an answer that has had no turn on its connection yet.
    onceClosed(raw, () => this.stop());
  }

  /** True when the reader is gone, was dropped, or the stream has been ended. */
  get closed(): boolean {
    const { raw } = this;
    return this.ending || raw.destroyed || raw.writableEnded || raw.req.socket.destroyed;
  }

  /** Begins the answer; the headers leave with the first event, in one packet. */
  open(headers: Readonly<Record<string, string>>): void {
    if (this.closed) return;
    this.raw.writeHead(200, { ...FEED_HEADERS, ...headers });
    const { heartbeatMs } = this.options;
    if (heartbeatMs > 0) {
      this.heartbeat = setInterval(() => this.beat(), heartbeatMs).unref();
    }
  }

  /** Sends the headers by themselves, where nothing is to follow soon. */
  openAlone(headers: Readonly<Record<string, string>>): void {
    this.open(headers);
    if (!this.closed) this.raw.flushHeaders();
  }

  /** Sends one event: `id:` when it has a seq, then its JSON on one `data:` line. */
  event(seq: number | undefined, json: string): void {
    this.write(headOf(seq) + onOneLine(json) + EVENT_END);
  }

  /** The same of an event whose JSON is in blocks of UTF-8; what has been written before has left. See {@link passItem}. */
  longEvent(seq: number | undefined, json: readonly Buffer[]): void {
    if (this.closed) return;
    this.heartbeat?.refresh();
    this.outbox.pushPieces(cutUp(blocksOfEvent(seq, json)));
  }

  /** Sends what ends a stream that broke: `event:` when it has a name of its own, then its JSON. */
  failure(name: string | undefined, json: string): void {
    const event = name === undefined ? '' : `event: ${name}\n`;
    this.write(event + headOf(undefined) + onOneLine(json) + EVENT_END);
  }

  /** See {@link Outbox.ready}. */
  ready(): Promise<void> | undefined {
    return this.outbox.ready();
  }

  /** See {@link Outbox.drained}. */
  drained(): Promise<void> {
    return this.outbox.drained();
  }

  /** See {@link Outbox.underWay}. */
  get underWay(): number | undefined {
    return this.outbox.underWay;
  }

  /** Ends the stream after what has been written. */
  end(): void {
    if (this.closed) return;
    this.ending = true;
    this.stop();
    const { pieces, chunks } = this.outbox.take();
    for (const piece of pieces) this.raw.write(piece);
    if (chunks.length > 0) this.raw.write(chunks.join(''));
    this.raw.end();
  }

  private write(text: string): void {
    if (this.closed) return;
    this.heartbeat?.refresh();
    this.outbox.push(text, Buffer.byteLength(text));
  }

  private beat(): void {
    // A reader with events to read needs no sign of life. Others learn when to expect the next one.
    if (!this.outbox.busy) this.write(`: heartbeat every ${this.options.heartbeatMs} ms\n\n`);
  }

  private stop(): void {
    clearInterval(this.heartbeat);
    this.outbox.release();
  }
}
