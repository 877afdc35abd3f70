import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { JsonObject } from './json.js';

/** One event of a stream: its SSE id and the StreamResponse in wire JSON. */
export interface StreamedEvent {
  /** The SSE `id:`; undefined when the event had none. */
  readonly id: string | undefined;
  /** The JSON-RPC result. */
  readonly data: JsonObject;
  /** The JSON-RPC error, when the event is one. */
  readonly error: JsonObject | undefined;
}

/** An open SSE stream of JSON-RPC answers. */
export class EventStream implements AsyncIterable<StreamedEvent> {
  /** All events so far. */
  readonly events: StreamedEvent[] = [];
  /** Comment lines so far (heartbeats). */
  readonly comments: string[] = [];
  private readonly iterator: AsyncGenerator<StreamedEvent>;

  constructor(
    body: Readable,
    readonly headers: IncomingHttpHeaders | Record<string, string | string[] | undefined>,
    private readonly abort: () => void,
  ) {
    this.iterator = this.parse(body);
  }

  /** The id of the newest event: what `Last-Event-ID` resumes from. */
  get lastId(): string | undefined {
    return this.events.at(-1)?.id;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamedEvent> {
    return this.iterator;
  }

  /** The next event; undefined at the end of the stream. */
  async next(deadlineMs = 5000): Promise<StreamedEvent | undefined> {
    const result = await within(this.iterator.next(), deadlineMs, () => this.summary());
    return result.done ? undefined : result.value;
  }

  /** Reads on until an event fits; rejects at the end of the stream. */
  async until(
    predicate: (event: StreamedEvent) => boolean,
    deadlineMs = 5000,
  ): Promise<StreamedEvent> {
    for (;;) {
      const event = await this.next(deadlineMs);
      if (!event) throw new Error(`the stream ended first: ${this.summary()}`);
      if (predicate(event)) return event;
    }
  }

  /** Reads to the end; all events of the stream. */
  async collect(deadlineMs = 10_000): Promise<readonly StreamedEvent[]> {
    while (await this.next(deadlineMs));
    return this.events;
  }

  /** Leaves, as a client that is gone. */
  close(): void {
    this.abort();
  }

  private async *parse(body: Readable): AsyncGenerator<StreamedEvent> {
    let buffer = '';
    for await (const chunk of body.setEncoding('utf8')) {
      buffer += chunk as string;
      let end: number;
      while ((end = buffer.indexOf('\n\n')) >= 0) {
        const event = this.read(buffer.slice(0, end));
        buffer = buffer.slice(end + 2);
        if (event) yield event;
      }
    }
  }

  private read(block: string): StreamedEvent | undefined {
    let id: string | undefined;
    const data: string[] = [];
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments.push(line.slice(1).trim());
      else if (line.startsWith('id:')) id = line.slice(3).trim();
      else if (line.startsWith('data:')) data.push(line.slice(5));
    }
    if (data.length === 0) return undefined;
    const json = JSON.parse(data.join('\n')) as JsonObject;
    const event = {
      id,
      data: json['result'] as JsonObject,
      error: json['error'] as JsonObject | undefined,
    };
    this.events.push(event);
    return event;
  }

  private summary(): string {
    return JSON.stringify(this.events.map(({ id, data, error }) => [id, data ?? error])).slice(
      -2000,
    );
  }
}

function within<T>(promise: Promise<T>, deadlineMs: number, got: () => string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no event within ${deadlineMs} ms; so far: ${got()}`)),
      deadlineMs,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
