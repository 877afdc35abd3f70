/** A stream of Server-Sent Events before it is written: where they come from and how they look. */
export interface EventSource<Item = unknown> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** An item's seq (its SSE `id:`) and its text, one line of JSON. */
  render(item: Item): { readonly seq: number | undefined; readonly text: string };
  /** The text of the last event of a stream that broke. */
  failure(thrown: unknown): string;
  /** The SSE `event:` of that one, where its text alone would not tell it from an item. */
  readonly failureEvent?: string;
}
