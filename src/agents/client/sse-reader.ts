import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** One server-sent event. Several `data:` lines are joined by line feeds, as the standard says. */
export interface SseEvent {
  /** `message` unless the server named another. */
  readonly type: string;
  readonly data: string;
  /** False when the stream ended before the event did. */
  readonly complete: boolean;
}

/** Characters of one event, as in the SDK; what is larger is a broken stream. */
export const SSE_EVENT_LIMIT = 4 * 1024 * 1024;

/** One event was larger than {@link SSE_EVENT_LIMIT}. */
export class SseEventTooLargeError extends Error {
  override readonly name = 'SseEventTooLargeError';

  constructor() {
    super(`the agent's stream holds an event over ${SSE_EVENT_LIMIT / 1024 / 1024} MiB`);
  }
}

/**
 * Reads events as they arrive. Comments, ids and unknown fields are skipped. What follows the last
 * empty line is given as well: agents that close after their last event may leave that line out.
 * Rejects with {@link SseEventTooLargeError}, or with the body's error when it breaks off.
 */
export async function* readSse(body: Readable): AsyncGenerator<SseEvent, void, undefined> {
  const decoder = new StringDecoder('utf8');
  const event = new EventBuilder();
  let rest = '';
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const searched = rest.length;
    rest += decoder.write(chunk);
    let start = 0;
    let end = rest.indexOf('\n', searched);
    for (; end >= 0; end = rest.indexOf('\n', start)) {
      const done = event.line(rest.slice(start, rest[end - 1] === '\r' ? end - 1 : end));
      if (done) yield done;
      start = end + 1;
    }
    if (start > 0) rest = rest.slice(start);
    if (rest.length > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
  }
  if (rest !== '') event.line(rest);
  const last = event.line('');
  if (last) yield { ...last, complete: false };
}

class EventBuilder {
  private type = 'message';
  private data: string | undefined;

  /** Takes one line; an empty one ends the event. */
  line(line: string): SseEvent | undefined {
    if (line === '') return this.end();
    const colon = line.indexOf(':');
    if (colon <= 0) return undefined;
    const field = line.slice(0, colon);
    if (field !== 'data' && field !== 'event') return undefined;
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.type = value;
    else this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    if ((this.data?.length ?? 0) > SSE_EVENT_LIMIT) throw new SseEventTooLargeError();
    return undefined;
  }

  private end(): SseEvent | undefined {
    const event =
      this.data === undefined ? undefined : { type: this.type, data: this.data, complete: true };
    this.type = 'message';
    this.data = undefined;
    return event;
  }
}
