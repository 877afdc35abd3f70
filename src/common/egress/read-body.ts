import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '../byte-collector.js';
import { JsonLimitError, JsonMeter, MAX_NESTING, type JsonLimits } from '../json-limits.js';
import { type PieceCount, TOO_SMALL_PIECES, tooSmallPieces } from '../small-pieces.js';

/** An answer whose body is still to be read: by `readText`, or given up by `discard`. */
export interface EgressResponse extends Pick<
  Dispatcher.ResponseData,
  'statusCode' | 'headers' | 'body'
> {
  /** Of the body, so far; its own pieces are as many where this is missing. */
  readonly pieces?: PieceCount;
}

/** The body was larger than its reader allows. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
  }
}

/** What is asked while a body arrives. */
export interface ReadOptions {
  /** The body is JSON, which is refused at the first byte that passes these. */
  readonly json?: JsonLimits;
  /**
   * Told how many bytes are held by now, before more are read. What it returns is waited for; when it
   * throws or rejects, the rest is not read.
   */
  readonly reserve?: (bytes: number) => Promise<void> | undefined;
}

/** JSON of a fixed purpose (a card, a key set): small, whatever its bytes may be. */
export const SMALL_JSON: JsonLimits = { maxValues: 50_000, maxNesting: MAX_NESTING };

/**
 * The whole body as UTF-8. Rejects as soon as it is known that it passes a limit (the rest is not read):
 * with {@link BodyTooLargeError} or JsonLimitError (also for very many tiny pieces); and with the stream's error when it breaks off.
 */
export async function readText(
  answer: EgressResponse,
  limitBytes: number,
  options: ReadOptions = {},
): Promise<string> {
  return (await collect(answer, limitBytes, options)).text();
}

/** {@link readText} of a small answer that is no text, as its bytes. */
export async function readBytes(answer: EgressResponse, limitBytes: number): Promise<Uint8Array> {
  return (await collect(answer, limitBytes, {})).bytes();
}

async function collect(
  answer: EgressResponse,
  limitBytes: number,
  { json, reserve }: ReadOptions,
): Promise<ByteCollector> {
  const { body } = answer;
  if (Number(answer.headers['content-length'] ?? NaN) > limitBytes) {
    discard(body);
    throw new BodyTooLargeError(limitBytes);
  }
  const meter = json && new JsonMeter(json);
  const bytes = new ByteCollector();
  let pieces = 0;
  // Leaving the loop by throwing destroys the body, which closes the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes.size + chunk.length > limitBytes) throw new BodyTooLargeError(limitBytes);
    pieces += answer.pieces?.next() ?? 1;
    if (tooSmallPieces(pieces, bytes.size + chunk.length))
      throw new JsonLimitError(TOO_SMALL_PIECES);
    meter?.add(chunk);
    bytes.add(chunk);
    const reserved = reserve?.(bytes.size);
    if (reserved !== undefined) await reserved;
  }
  return bytes;
}

/** {@link readText} of a document that is JSON within limits; rejects with SyntaxError where it is none. */
export async function readJson(
  answer: EgressResponse,
  limitBytes: number,
  json: JsonLimits = SMALL_JSON,
): Promise<unknown> {
  return JSON.parse(await readText(answer, limitBytes, { json }));
}

/**
 * Closes an answer whose body is of no interest. A bare `destroy()` would emit an `error` that
 * nobody listens to.
 */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
