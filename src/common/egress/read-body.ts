import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/** An answer whose body is still to be read: by `readText`, or given up by `discard`. */
export type EgressResponse = Pick<Dispatcher.ResponseData, 'statusCode' | 'headers' | 'body'>;

/** The body was larger than its reader allows. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
  }
}

/**
 * The whole body as UTF-8. Rejects with {@link BodyTooLargeError} as soon as it is known to pass the
 * limit (the rest is not read), and with the stream's error when it breaks off.
 */
export async function readText(answer: EgressResponse, limitBytes: number): Promise<string> {
  const { body } = answer;
  const announced = Number(answer.headers['content-length'] ?? NaN);
  // undici reads a whole body much quicker than a loop does; the parser holds it to its length.
  if (announced <= limitBytes) return body.text();
  if (announced > limitBytes) {
    discard(body);
    throw new BodyTooLargeError(limitBytes);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop by throwing destroys the body, which closes the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw new BodyTooLargeError(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/**
 * Closes an answer whose body is of no interest. A bare `destroy()` would emit an `error` that
 * nobody listens to.
 */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
