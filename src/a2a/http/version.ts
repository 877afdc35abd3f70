import { type CallSource, single } from '../context-of-headers.js';

/** The `A2A-Version` of a request: the header, else the query parameter (A2A §3.6.1). */
export function versionRequestedBy(request: {
  readonly headers: CallSource['headers'];
  readonly query: unknown;
}): string | undefined {
  const header = single(request.headers['a2a-version']);
  if (header) return header;
  const query = request.query as Record<string, string | string[]> | undefined;
  return single(query?.['A2A-Version']);
}
