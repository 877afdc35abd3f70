import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { connect } from 'node:net';

/** For a connection that an answer keeps busy. */
const PATIENCE_MS = 10_000;

let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub?.close());

/** The header fields of the answers to HEAD of this path, and to one more request on the same connection. */
function headAndNext(path: string): Promise<string> {
  const { hostname, port, host } = new URL(hub.url);
  const fields = [`Host: ${host}`, `Authorization: Bearer ${ADMIN_KEY}`];
  const next = ['GET /health/live HTTP/1.1', ...fields, 'Connection: close', '', ''];
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`HEAD ${path} does not end`)));
    socket.on('error', reject).on('close', () => resolve(received));
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.write([`HEAD ${path} HTTP/1.1`, ...fields, '', ...next].join('\r\n'));
  });
}

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly responses: Record<string, { content?: object }> } }>
  >;
}

it('HEAD ends at once, for what goes on for ever or is made while it is read as well', async () => {
  const { paths } = (await hub.admin('GET', '/docs/openapi.json')).body as unknown as Document;
  const read = Object.entries(paths).flatMap(([path, { get }]) =>
    get === undefined || path.includes('{') || !path.startsWith('/api/v1') ? [] : [{ path, get }],
  );
  const types: string[] = [];
  for (const { path, get } of read) {
    const type = Object.keys(get.responses['200']?.content ?? {})[0] ?? '';
    types.push(type);
    const answers = await headAndNext(path);
    expect([path, answers.match(/HTTP\/1\.1 200/g)?.length]).toEqual([path, 2]);
    expect([path, answers]).toEqual([path, expect.stringContaining(`content-type: ${type}`)]);
  }
  expect(types).toContain('text/event-stream');
  expect(types).toContain('application/x-ndjson');
});
