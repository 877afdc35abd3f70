import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';
import { userMessage } from '../support/builders.js';
import { ScriptedAgent } from '../support/scripted-agent.js';

let hub: Hub;
let agent: ScriptedAgent;
const APP = 'https://app.example.com';

beforeAll(async () => {
  [hub, agent] = await Promise.all([
    startHub({ config: { server: { corsOrigins: [APP] } } }),
    ScriptedAgent.start(),
  ]);
  await hub.registerAgent(agent.url, { id: 'scripted' });
});

afterAll(() => Promise.all([hub.close(), agent.close()]));

async function get(url: string, headers: Record<string, string> = {}) {
  const answer = await request(url, { headers });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** The addresses that a page loads or leads to, as a browser resolves them. */
const linksOf = (page: string, at: string): string[] =>
  [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => new URL(link!, at).href);

describe('the reference of the admin API', () => {
  it.each(['/docs', '/docs/', '/docs?x=1'])('at %s loads only files of the hub', async (path) => {
    const page = await get(hub.url + path);
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    // Nothing in line, which that policy would not let run.
    expect(page.text).not.toMatch(/<style|<script>|\son\w+=|style=/);
    const links = linksOf(page.text, hub.url + path);
    expect(links).toHaveLength(4);
    for (const link of links) {
      expect(link.startsWith(`${hub.url}/docs/`)).toBe(true);
      expect([link, (await get(link)).status]).toEqual([link, 200]);
    }
  });

  it('has the types that nosniff wants', async () => {
    const types = await Promise.all(
      ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'].map(
        async (name) => (await get(`${hub.url}/docs/ui/${name}`)).headers['content-type'],
      ),
    );
    expect(types).toEqual(
      ['text/css', 'text/javascript', 'text/javascript'].map((type) => `${type}; charset=utf-8`),
    );
    for (const path of ['/docs/ui/', '/docs/ui/package.json', '/docs/ui/..%2f..%2fpackage.json']) {
      expect((await get(hub.url + path)).status).toBe(404);
    }
  });

  it('tries operations below the path that a proxy gives the hub', async () => {
    const proxy = createServer((incoming, outgoing) => {
      void get(hub.url + incoming.url!.replace('/hub', '')).then(({ status, headers, text }) => {
        outgoing.writeHead(status, { 'content-type': String(headers['content-type']) }).end(text);
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/hub`;
    const page = await get(`${base}/docs`);
    const links = linksOf(page.text, `${base}/docs`);
    for (const link of links) expect([link, (await get(link)).status]).toEqual([link, 200]);
    const src = links.find((link) => link.endsWith('start.js'))!;
    const shown = await new Promise<{ spec: { servers: unknown; paths: object } }>((resolve) => {
      runInNewContext(
        readScript((link) => links.includes(link)),
        {
          ...{ URL, fetch, SwaggerUIBundle: resolve },
          document: { currentScript: { src }, getElementById: () => ({}) },
        },
      );
      function readScript(known: (link: string) => boolean): string {
        expect(known(src)).toBe(true);
        return script;
      }
    });
    expect(shown.spec.servers).toEqual([{ url: base }]);
    expect(Object.keys(shown.spec.paths)).toContain('/api/v1/keys');
    proxy.close();
  });

  let script = '';
  beforeAll(async () => {
    script = (await get(`${hub.url}/docs/ui/start.js`)).text;
  });

  it('brings no telemetry into the image', () => {
    const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
    expect(dockerfile).toContain('rm -rf node_modules/swagger-ui-dist node_modules/@scarf');
  });
});

describe('GET /', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it('tells a browser what this is and where to look', async () => {
    const { status, headers, text } = await get(`${hub.url}/`, { accept: BROWSER });
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(text).toMatch(/<dt>a2a<\/dt>\n<dd>[^<]*POST/);
    const links = linksOf(text, `${hub.url}/`);
    expect(links).toContain(`${hub.url}/docs`);
    // Every one leads a browser to something.
    for (const link of links) {
      expect([link, (await get(link)).status]).toEqual([link, 200]);
    }
  });

  it.each([undefined, '*/*', 'application/json'])('is JSON for Accept: %s', async (accept) => {
    const { headers, text } = await get(`${hub.url}/`, accept === undefined ? {} : { accept });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toMatchObject({ name: 'A2A Hub', docs: './docs', a2a: './a2a' });
  });

  it('leaves the other methods of / to A2A', async () => {
    expect((await hub.post('/', '{}')).status).toBe(200);
    const refused = await request(`${hub.url}/`, { method: 'PUT' });
    expect([refused.statusCode, refused.headers['allow']]).toEqual([
      405,
      'GET, HEAD, POST, OPTIONS',
    ]);
    await refused.body.dump();
  });
});

describe('a page of another origin', () => {
  const preflight = (origin: string, path = '/a2a') =>
    request(hub.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it.each(['/a2a', '/a2a/message:send', '/api/v1/keys', '/.well-known/agent-card.json'])(
    'that is allowed may ask about %s',
    async (path) => {
      const { statusCode, headers } = await preflight(APP, path);
      expect(statusCode).toBe(204);
      expect(headers['access-control-allow-origin']).toBe(APP);
      expect(headers['access-control-allow-headers']).toContain('Authorization');
      expect(headers['access-control-allow-headers']).toContain('If-Match');
      expect(headers['access-control-allow-methods']).toContain('DELETE');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it('that is allowed may read answers, refusals and streams', async () => {
    const headers = { origin: APP };
    const answers = [
      (await hub.rpcRaw('ListTasks', {}, { headers })).headers,
      (await hub.get('/api/v1/keys', { key: 'wrong', headers })).headers,
      (await hub.get('/nothing', { key: null, headers })).headers,
      (await hub.get('/api/v1/agents', { key: ADMIN_KEY, headers })).headers,
    ];
    const message = { ...userMessage('hi'), metadata: { agentId: 'scripted' } };
    const stream = await hub.stream('SendStreamingMessage', { message }, { headers });
    await stream.collect();
    for (const each of [...answers, stream.headers]) {
      expect(each['access-control-allow-origin']).toBe(APP);
      expect(each['access-control-expose-headers']).toContain('X-Request-Id');
    }
  });

  it.each(['/', '/a2a/tasks', '/a2a/nothing', '/.well-known/agent-card.json'])(
    'and a cache are told all that the answer of %s depends on',
    async (path) => {
      const both: Record<string, string>[] = [{ origin: APP }, {}];
      for (const headers of both) {
        const { vary } = (await get(hub.url + path, headers)).headers;
        expect(String(vary).split(', ')).toEqual([
          'Origin',
          path.startsWith('/.well-known/') ? 'A2A-Version' : 'Accept',
        ]);
      }
    },
  );

  it.each(['/.well-known/agent-card.json', '/.well-known/jwks.json', '/api/v1/agents'])(
    'that is allowed may ask whether %s has changed',
    async (path) => {
      const { headers } = await preflight(APP, path);
      expect(headers['access-control-allow-headers']).toContain('If-None-Match');
      expect(headers['access-control-allow-headers']).toContain('A2A-Version');
    },
  );

  it('that is not allowed, or with the setting left alone, is told nothing', async () => {
    const { headers } = await preflight('https://app.example.com.evil.example');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    const plain = await startHub();
    const answer = await plain.get('/a2a/tasks', { headers: { origin: APP } });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['vary']).not.toBe('Origin');
    await plain.close();
  });

  it('reads nothing without a key, whatever auth.mode is', async () => {
    const config = { auth: { mode: 'none' as const }, server: { corsOrigins: [APP] } };
    const open = await startHub({ config });
    for (const path of ['/api/v1/keys', '/a2a/tasks']) {
      const refused = await open.get(path, { key: null, headers: { origin: APP } });
      expect([path, refused.status]).toEqual([path, 403]);
      expect((await open.get(path, { key: null })).status).toBe(200);
    }
    await open.close();
  });

  it('is of any origin with *', async () => {
    const open = await startHub({ config: { server: { corsOrigins: ['*'] } } });
    const { headers } = await open.get('/a2a/tasks', { headers: { origin: 'https://x.example' } });
    expect(headers['access-control-allow-origin']).toBe('*');
    await open.close();
  });
});
