export type AttributeValue = string | number | boolean | readonly string[];

/** Facts of a span by their names, which `observability/tracing/span-names.ts` has. */
export type SpanAttributes = Readonly<Record<string, AttributeValue>>;
