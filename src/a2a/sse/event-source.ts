import type { JsonText } from '../../common/json-text.js';

/** An item of a stream as it is written: its seq (its SSE `id:`), and its text, one line of JSON. */
export interface RenderedItem {
  readonly seq: number | undefined;
  /** A promise where it is not small. Whoever writes what is large takes it out: an item is kept until the next one comes. */
  text: JsonText | Promise<JsonText>;
}

/** A stream of Server-Sent Events before it is written: where they come from and how they look. */
export interface EventSource<Item = unknown> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** How an item looks. To be called once: what is large is taken out of the item. */
  render(item: Item): RenderedItem;
  /** The text of the last event of a stream that broke. */
  failure(thrown: unknown): string;
  /** The SSE `event:` of that one, where its text alone would not tell it from an item. */
  readonly failureEvent?: string;
}
