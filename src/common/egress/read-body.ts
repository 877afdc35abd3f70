import type { Readable } from 'node:stream';

/** The body was larger than its reader allows. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';

  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`);
  }
}

/**
 * The whole body as UTF-8. Rejects with {@link BodyTooLargeError} as soon as it passes the limit
 * (the rest is not read), and with the stream's error when it breaks off.
 */
export async function readText(body: Readable, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop by throwing destroys the body, which closes the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw new BodyTooLargeError(limitBytes);
    chunks.push(chunk);
  }
  const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size);
  return whole?.toString('utf8') ?? '';
}

/**
 * Closes an answer whose body is of no interest. A bare `destroy()` would emit an `error` that
 * nobody listens to.
 */
export function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
