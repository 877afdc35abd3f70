import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

const CREDENTIALS = ['authorization', 'x-api-key'];

/**
 * Shows every credential of a call in its metadata: of several entries of one name Node drops those after the first, or joins
 * them. To be called as soon as the server listens, before its first connection.
 */
export function showRepeatedCredentials(server: Server): void {
  const { http2Servers } = server as unknown as { http2Servers: Map<Http2Server, unknown> };
  for (const listener of http2Servers.keys()) listener.prependListener('stream', showAll);
}

/** Before the library reads them; it takes the values of a list one by one. */
function showAll(
  _stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  _flags: number,
  raw: readonly string[],
): void {
  for (const name of CREDENTIALS) {
    if (headers[name] === undefined) continue;
    const all = raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === name);
    if (all.length > 1) (headers as Record<string, unknown>)[name] = all;
  }
}
