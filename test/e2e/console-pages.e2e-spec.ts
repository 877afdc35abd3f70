import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { type Hub, startHub } from '../support/app.js';

let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});

afterAll(() => hub.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(hub.url + path, { headers });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString() };
}

const linksOf = (page: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);

/** Built by `npm run build`, which `npm test` does first. */
describe('the page of the console', () => {
  it.each([
    ['/console', '/console/'],
    ['/console/', '/console/'],
    ['/console/tasks?state=failed', '/console/'],
    ['/console/tasks/019', '/console/'],
    ['/console/routing/rules/a/', '/console/'],
  ])('at %s has its files below %s', async (path, below) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const [base, ...links] = linksOf(text);
    const root = new URL(base!, hub.url + path);
    expect(root.pathname).toBe(below);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) {
      expect([link, (await get(new URL(link, root).pathname)).status]).toEqual([link, 200]);
    }
  });

  it('has a policy that allows nothing in line and no other origin', async () => {
    const [one, two] = await Promise.all([get('/console'), get('/console')]);
    const policy = String(one.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
    expect(policy).toMatch(/connect-src 'self'; .*frame-ancestors 'none'$/);
    expect(policy).not.toMatch(/unsafe|\*|http/);
    expect(one.text).not.toMatch(/<style|<script>|\son\w+=|style=/);
    // A nonce that comes again is none.
    expect(policy).not.toBe(two.headers['content-security-policy']);
    expect(one.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('the files of the console', () => {
  it('are kept for good by browsers, and come in brotli to who takes it', async () => {
    const script = linksOf((await get('/console')).text).find((link) => link.endsWith('.js'))!;
    const path = `/console/${script}`;
    const [plain, small] = await Promise.all([get(path), get(path, { 'accept-encoding': 'br' })]);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(small.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(small.bytes).equals(plain.bytes)).toBe(true);
    expect(small.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
  });

  it.each([
    '/console/assets/none.js',
    '/console/assets/..%2findex.html',
    '/console/assets/%2e%2e/%2e%2e/main.js',
    '/console/assets/..%5c..%5cmain.js',
  ])('are no others: %s', async (path) => {
    const { status, headers } = await get(path);
    expect([403, 404]).toContain(status);
    expect(headers['content-type']).toContain('application/problem+json');
  });
});
