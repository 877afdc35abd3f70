import type { IncomingMessage, ServerResponse } from 'node:http';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { eventually } from './eventually.js';
import { type HttpListener, listenOnLoopback } from './http-listener.js';

export type AttributeValue = string | boolean | number | readonly AttributeValue[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A span as the collector got it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentId: string;
  /** Whether its parent is of another service; undefined: that is not said. */
  readonly isParentRemote: boolean | undefined;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since 1970. */
  readonly begun: number;
  readonly ended: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly statusCode: number;
  /** Of the process that made it. */
  readonly resource: Attributes;
}

/** What the collector does with a request; by default it takes it. */
export type CollectorAnswer = (request: IncomingMessage, response: ServerResponse) => void;

const TAKEN: CollectorAnswer = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
};

/** Names of `Span.kind`. */
export const KIND = { INTERNAL: 1, SERVER: 2, CLIENT: 3 } as const;

/**
 * A collector that takes OTLP over HTTP. It reads Protocol Buffers by the field numbers of opentelemetry-proto 1.x, with nothing of
 * OpenTelemetry's own code.
 */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  readonly requests: { readonly url: string; readonly headers: NodeJS.Dict<string | string[]> }[] =
    [];
  /** What was wrong with requests. */
  readonly faults: string[] = [];
  answer: CollectorAnswer = TAKEN;
  private listener!: HttpListener;

  static async start(port?: number): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    collector.listener = await listenOnLoopback((request, response) => {
      void collector.receive(request, response);
    }, port);
    return collector;
  }

  get endpoint(): string {
    return `${this.listener.url}/v1/traces`;
  }

  get port(): number {
    return this.listener.port;
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  /** The spans of a trace, once `isWhole` holds for them. */
  trace(
    traceId: string,
    isWhole: (spans: readonly CollectedSpan[]) => boolean,
    deadlineMs = 20_000,
  ): Promise<readonly CollectedSpan[]> {
    return eventually(() => {
      const found = this.spans.filter((span) => span.traceId === traceId);
      if (isWhole(found)) return found;
      throw new Error(`of ${traceId} there are only ${JSON.stringify(found, null, 1)}`);
    }, deadlineMs);
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url = '', headers, method } = request;
    this.requests.push({ url, headers });
    if (method !== 'POST') this.faults.push(`method ${method}`);
    if (headers['content-type'] !== 'application/x-protobuf') {
      this.faults.push(`content-type ${headers['content-type']}`);
    }
    try {
      if (this.answer === TAKEN) this.spans.push(...spansOf(Buffer.concat(chunks)));
    } catch (error) {
      this.faults.push(String(error));
    }
    this.answer(request, response);
  }
}

type Fields = ReadonlyMap<number, readonly unknown[]>;

/** Reads the fields of a message: numbers, and bytes for what may be texts or messages. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, unknown[]>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const values = fields.get(number) ?? [];
    fields.set(number, values);
    if (wireType === WireType.LengthDelimited) values.push(reader.bytes());
    else if (wireType === WireType.Bit64) values.push(reader.fixed64());
    else if (wireType === WireType.Bit32) values.push(reader.fixed32());
    else values.push(reader.int64());
  }
  return fields;
}

const messages = (fields: Fields, number: number): Fields[] =>
  (fields.get(number) ?? []).map((bytes) => fieldsOf(bytes as Uint8Array));
const message = (fields: Fields, number: number): Fields =>
  messages(fields, number)[0] ?? new Map<number, unknown[]>();
const bytesOf = (fields: Fields, number: number): Buffer =>
  Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []);
const text = (fields: Fields, number: number): string => bytesOf(fields, number).toString('utf8');
const count = (fields: Fields, number: number): number => Number(fields.get(number)?.[0] ?? 0);

function spansOf(body: Uint8Array): CollectedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(message(resourceSpans, 1), 1);
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => spanOf(span, resource)),
    );
  });
}

function spanOf(span: Fields, resource: Attributes): CollectedSpan {
  const traceId = bytesOf(span, 1).toString('hex');
  const spanId = bytesOf(span, 2).toString('hex');
  if (traceId.length !== 32 || spanId.length !== 16) throw new Error('ids of a wrong length');
  return {
    ...{ traceId, spanId, resource },
    parentId: bytesOf(span, 4).toString('hex'),
    name: text(span, 5),
    isParentRemote: remoteOf(count(span, 16)),
    kind: count(span, 6),
    begun: count(span, 7) / 1e6,
    ended: count(span, 8) / 1e6,
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => ({
      name: text(event, 2),
      attributes: attributesOf(event, 3),
    })),
    statusCode: count(message(span, 15), 3),
  };
}

function attributesOf(fields: Fields, number: number): Attributes {
  return Object.fromEntries(
    messages(fields, number).map((pair) => [text(pair, 1), valueOf(message(pair, 2))]),
  );
}

function valueOf(value: Fields): AttributeValue {
  if (value.has(2)) return count(value, 2) === 1;
  if (value.has(3)) return count(value, 3);
  if (value.has(5)) return messages(message(value, 5), 1).map(valueOf);
  return text(value, 1);
}

/** Bits 8 and 9 of `flags` (opentelemetry-proto, SpanFlags). */
function remoteOf(flags: number): boolean | undefined {
  return (flags & 0x100) === 0 ? undefined : (flags & 0x200) !== 0;
}
