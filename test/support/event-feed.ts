import { Agent, request } from 'undici';
import type { Json } from './json.js';

export interface FeedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Json;
}

/** An open feed of Server-Sent Events with names and ids, as a program of an operator reads it. */
export class EventFeedReader {
  private text = '';
  /** The hub has ended the feed, or this reader has left. */
  ended = false;

  private constructor(
    readonly status: number,
    private readonly dispatcher: Agent,
  ) {}

  static async open(url: string, headers: Record<string, string>): Promise<EventFeedReader> {
    const dispatcher = new Agent();
    const answer = await request(url, { dispatcher, headers });
    const reader = new EventFeedReader(answer.statusCode, dispatcher);
    answer.body
      .setEncoding('utf8')
      .on('data', (chunk) => (reader.text += String(chunk)))
      .on('error', () => undefined)
      .on('close', () => (reader.ended = true));
    return reader;
  }

  get events(): FeedEvent[] {
    const found = this.text.matchAll(/id: (.*)\nevent: (.*)\ndata: (.*)\n\n/g);
    return [...found].map(([, id = '', event = '', data = 'null']) => ({
      id,
      event,
      data: JSON.parse(data),
    }));
  }

  /** Leaves, as a reader that is gone. */
  close(): Promise<void> {
    return this.dispatcher.destroy();
  }
}
