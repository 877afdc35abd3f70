import type { Egress } from './egress.js';

/**
 * `fetch` through the egress guard, for libraries that call servers of tokens and keys: rejects when an answer has more
 * than `maxBytes`, which is not read to its end.
 */
export function smallFetch(
  egress: Pick<Egress, 'fetch'>,
  maxBytes: number,
): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const answer = await egress.fetch(url, init);
    if (answer.body === null) return answer;
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      // Leaving the loop closes the connection.
      if (size > maxBytes) throw new Error('an answer that is too large');
      chunks.push(chunk);
    }
    const { status, headers } = answer;
    return new Response(Buffer.concat(chunks), { status, headers });
  };
}
