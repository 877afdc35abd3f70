import { type Socket, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { ADMIN_KEY, type Hub, startHub } from '../support/app.js';

const MIB = 1024 * 1024;

let hub: Hub;

beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub?.close());

/** A connection to the hub that has sent this; `text` is what has come back. */
class Talk {
  text = '';
  readonly closed: Promise<void>;
  readonly socket: Socket;

  constructor(...lines: string[]) {
    this.socket = connect(Number(new URL(hub.url).port), '127.0.0.1');
    this.socket.setEncoding('latin1').on('data', (chunk: string) => (this.text += chunk));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.write([...lines, '', ''].join('\r\n'));
  }

  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.socket.destroyed) throw new Error(`closed after ${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.text;
  }
}

const JSON_TYPE = 'Content-Type: application/json';
const KEY = `Authorization: Bearer ${ADMIN_KEY}`;

describe('a body of a caller without a key', () => {
  const PATHS = [
    ['/api/v1/keys', 401],
    ['/api/v1/agents', 401],
    ['/a2a', 401],
    ['/a2a/message:send', 401],
    ['/a2a/v1/message:send', 401],
    ['/a2a/nothing', 404],
    ['/nothing', 404],
    ['/callbacks/agents/x', 404],
    ['/docs', 405],
    ['/metrics', 405],
    ['/%zz', 400],
  ] as const;
  /** All at once: the hub waits for each, for a while, before it closes the connection. */
  const talks = new Map<string, Talk[]>();

  beforeAll(() => {
    for (const [path] of PATHS) {
      const framings = ['Content-Length: 10000000', 'Transfer-Encoding: chunked'];
      const talk = (framing: string): Talk =>
        new Talk(`POST ${path} HTTP/1.1`, 'Host: hub', JSON_TYPE, framing);
      talks.set(path, framings.map(talk));
    }
  });

  it.each(PATHS)(
    'POST %s is answered with %i before it comes, and the connection closed',
    async (path, status) => {
      for (const talk of talks.get(path)!) {
        const answer = await talk.until(/\r\n\r\n/);
        expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(answer.toLowerCase()).toContain('connection: close');
        await talk.closed;
      }
    },
  );

  it('is not asked for by 100 Continue', async () => {
    const head = ['Host: hub', JSON_TYPE, 'Content-Length: 10', 'Expect: 100-continue'];
    const refused = new Talk('POST /api/v1/keys HTTP/1.1', ...head);
    await refused.closed;
    expect(refused.text).toMatch(/^HTTP\/1\.1 401 /);

    const known = new Talk('POST /api/v1/keys HTTP/1.1', KEY, ...head);
    await known.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    known.socket.write('{"name":1}');
    expect(await known.until(/HTTP\/1\.1 400 [^]*\}$/)).toContain('"field":"name"');
    known.socket.destroy();
  });

  it('may be written whole before the answer is read', async () => {
    for (const path of ['/api/v1/keys', '/a2a', '/nothing']) {
      const talk = new Talk(
        `POST ${path} HTTP/1.1`,
        'Host: hub',
        JSON_TYPE,
        `Content-Length: ${MIB}`,
      );
      talk.socket.pause();
      await new Promise<void>((resolve) => {
        talk.socket.write(Buffer.alloc(MIB, ' '), () => resolve());
      });
      talk.socket.resume();
      await talk.closed;
      expect(talk.text).toMatch(/^HTTP\/1\.1 40[14] /);
    }
  });

  it('costs no memory, however many are not finished', async () => {
    // One for all: those of the clients are no memory of the hub.
    const piece = Buffer.alloc(MIB, ' ');
    global.gc?.();
    const before = process.memoryUsage();
    const talks = Array.from({ length: 80 }, () => {
      const length = `Content-Length: ${10 * MIB}`;
      const talk = new Talk('POST /api/v1/keys HTTP/1.1', 'Host: hub', JSON_TYPE, length);
      return talk;
    });
    await Promise.all(
      talks.map(async (talk) => {
        await talk.until(/^HTTP\/1\.1 401 /);
        for (let i = 0; i < 9 && !talk.socket.destroyed; i += 1) {
          talk.socket.write(piece);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        await talk.closed;
      }),
    );
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(100 * MIB);
    expect((await hub.get('/health/live', { key: null })).status).toBe(200);
  });
});

describe('a body in one-byte chunks', () => {
  const head = (path: string, ...more: string[]): string[] => [
    `POST ${path} HTTP/1.1`,
    'Host: hub',
    JSON_TYPE,
    'Transfer-Encoding: chunked',
    ...more,
  ];
  const CHUNKS = '1\r\n \r\n'.repeat(4096);

  /** Sends chunks until the connection is closed; how many have been sent. */
  async function pour(talk: Talk): Promise<number> {
    let sent = 0;
    while (!talk.socket.destroyed && sent < 500_000) {
      talk.socket.write(CHUNKS);
      sent += 4096;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    talk.socket.destroy();
    return sent;
  }

  it.each([
    ['without a key', '/a2a', [], 401],
    ['to no path', '/nothing', [], 404],
    ['with a key', '/api/v1/nothing', [KEY], 404],
  ])(
    '%s is thrown away for some thousand of them, then its connection closed',
    async (_, path, more, status) => {
      const talk = new Talk(...head(path, ...more));
      await talk.until(/\r\n\r\n/);
      expect(await pour(talk)).toBeLessThan(100_000);
      expect(talk.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    },
  );

  it('is not thrown away when it was refused for them: the answer closes its connection', async () => {
    const talk = new Talk(...head('/a2a', KEY, 'A2A-Version: 1.0'));
    talk.socket.write(CHUNKS);
    talk.socket.write(CHUNKS.slice(0, 600));
    expect(await talk.until(/\r\n\r\n[^]*too small pieces/)).toMatch(/connection: close/i);
    const answered = performance.now();
    await talk.closed;
    expect(performance.now() - answered).toBeLessThan(2000);
  });
});

describe('the admin API', () => {
  const post = async (body: string) => {
    const answer = await request(`${hub.url}/api/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body,
    });
    return [answer.statusCode, ((await answer.body.json()) as { type: string }).type];
  };

  it('takes no body above server.adminBodyLimit, nor one of too many or too deep values', async () => {
    const invalid = 'urn:a2a-hub:error:invalid-request';
    expect(await post(`{"name":"${'n'.repeat(MIB)}"}`)).toEqual([
      413,
      'urn:a2a-hub:error:payload-too-large',
    ]);
    expect(await post(`[${'{},'.repeat(60_000)}{}]`)).toEqual([400, invalid]);
    expect(await post('['.repeat(500_000))).toEqual([400, invalid]);
  });

  it('waits for no body of a request that has none', async () => {
    const talk = new Talk(
      'DELETE /api/v1/keys/none HTTP/1.1',
      'Host: hub',
      KEY,
      JSON_TYPE,
      `Content-Length: ${MIB}`,
    );
    talk.socket.write('{');
    expect(await talk.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 404 /);
    talk.socket.destroy();
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' };
    const url = `${hub.url}/api/v1/keys/none`;
    const whole = await request(url, { method: 'DELETE', headers, body: '{"whole":true}' });
    expect(whole.statusCode).toBe(404);
    await whole.body.dump();
  });

  it('lets unfinished bodies of one caller have a share, which comes back when they end', async () => {
    const server = { maxBodyBytes: 4 * MIB, bodyLimit: MIB };
    const small = await startHub({ config: { server } });
    const make = async (key: string) => {
      const answer = await request(`${small.url}/api/v1/keys`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'one' }) + ' '.repeat(512 * 1024),
      });
      await answer.body.dump();
      return answer.statusCode;
    };
    const other = await small.createKey({ name: 'other', scopes: ['admin'] });
    const socket = connect(Number(new URL(small.url).port), '127.0.0.1');
    const length = `Content-Length: ${MIB}`;
    const head = ['POST /api/v1/keys HTTP/1.1', 'Host: hub', KEY, JSON_TYPE, length, '', '{'];
    socket.on('error', () => undefined).write(head.join('\r\n'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const waiting = make(ADMIN_KEY);
    expect(await make(other)).toBe(201);
    expect(await waiting).toBe(429);
    socket.destroy();
    for (let i = 0; i < 5; i += 1) expect(await make(ADMIN_KEY)).toBe(201);
    await small.close();
  });

  it('says nosniff, and its pages run nothing in line', async () => {
    for (const path of ['/docs', '/api/v1/keys', '/nothing', '/.well-known/agent-card.json']) {
      const { headers } = await request(hub.url + path);
      expect([path, headers['x-content-type-options']]).toEqual([path, 'nosniff']);
    }
    const { headers, body } = await request(`${hub.url}/docs`);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
      ),
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(await body.text()).not.toContain('<script>');
  });

  it('takes what Node takes for a method, and counts it as other', async () => {
    for (const method of ['PROPFIND', 'MKCOL', 'UNLINK']) {
      const talk = new Talk(`${method} /a2a HTTP/1.1`, 'Host: hub', 'Connection: close');
      await talk.closed;
    }
    const { text } = await hub.get('/metrics', { key: null });
    expect(text).toMatch(/duration_seconds_count\{method="other",/);
    expect(text).not.toContain('PROPFIND');
  });
});

describe('auth.mode none', () => {
  it('takes no changes from pages of others, nor under a name that is not its own', async () => {
    const open = await startHub({ config: { auth: { mode: 'none', adminKey: null } } });
    const status = async (
      headers: Record<string, string>,
      method: 'GET' | 'POST',
      path: string,
    ) => {
      const answer = await request(open.url + path, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method === 'POST' ? { body: '{"id":"n"}' } : {}),
      });
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await status({}, 'POST', '/api/v1/organizations')).toBe(201);
    for (const path of ['/api/v1/organizations', '/a2a', '/a2a/message:send']) {
      expect(await status({ host: 'evil.example' }, 'POST', path)).toBe(403);
      expect(await status({ origin: 'https://evil.example' }, 'POST', path)).toBe(403);
      expect(await status({ 'sec-fetch-site': 'cross-site' }, 'POST', path)).toBe(403);
    }
    expect(await status({ host: 'evil.example' }, 'GET', '/api/v1/keys')).toBe(403);
    expect(await status({}, 'GET', '/api/v1/keys')).toBe(200);
    await open.close();
  });
});

describe('metrics', () => {
  it('name agents that are not for everybody to operators only', async () => {
    const { ScriptedAgent } = await import('../support/scripted-agent.js');
    const agent = await ScriptedAgent.start();
    await hub.registerAgent(agent.url, { id: 'shown' });
    await hub.registerAgent(agent.url, { id: 'of-acme', organizations: ['acme'] });
    await hub.registerAgent(agent.url, { id: 'of-bmce', organizations: ['bmce'] });
    const read = async (key: string | null) => (await hub.get('/metrics', { key })).text;
    const operator = await hub.createKey({ scopes: ['agents'] });
    for (const key of [null, await hub.key()]) {
      const text = await read(key);
      expect(text).toContain('a2a_hub_agent_queued{agent="shown"} 0');
      expect(text).toMatch(/agent_health\{agent="\(hidden\)",state="\w+"\} 2/);
      expect(text).not.toMatch(/of-acme|of-bmce/);
    }
    expect(await read(operator)).toContain('a2a_hub_agent_queued{agent="of-acme"} 0');
    expect((await hub.get('/metrics', { key: 'hub_0_1' })).status).toBe(401);
    await agent.close();
  });
});
