import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '../../src/common/clock.js';
import { Egress, type Resolver } from '../../src/common/egress/egress.js';
import { errorClassOf } from '../../src/push/receivers/domain/attempt-verdict.js';
import { WebhookEgress } from '../../src/common/egress/webhook-egress.js';
import { HttpWebhookSender } from '../../src/push/sending/http-webhook.sender.js';
import type { SendError, WebhookAnswer } from '../../src/push/sending/webhook-sender.js';
import { eventually } from '../support/eventually.js';
import { sendInTime } from '../support/send-in-time.js';

const LIMITS = { connectTimeoutMs: 300, timeoutMs: 600, responseBytes: 4096 };
const LOOPBACK = { address: '127.0.0.1', family: 4 } as const;
const METADATA = { address: '169.254.169.254', family: 4 } as const;
const MIB = 1024 * 1024;

/** What a receiver does with a connection once the first bytes of a request are there. */
type Behaviour = (socket: Socket) => void;

/** Writes a piece again and again, as fast as it is taken or every so many milliseconds. */
function endless(piece: string, everyMs?: number): Behaviour {
  return (socket) => {
    const write = (): void => {
      if (socket.destroyed) return;
      if (everyMs !== undefined) {
        socket.write(piece);
        setTimeout(write, everyMs);
      } else if (socket.write(piece)) setImmediate(write);
      else socket.once('drain', write);
    };
    write();
  };
}

/** Writes a head, then goes on as told. */
function after(head: string, then: Behaviour = () => undefined): Behaviour {
  return (socket) => {
    socket.write(head);
    then(socket);
  };
}

const lines = (...all: string[]): string => `${all.join('\r\n')}\r\n\r\n`;
const OK_CHUNKED = lines('HTTP/1.1 200 OK', 'transfer-encoding: chunked');
const BIG = 'x'.repeat(16 * 1024);

describe('a receiver that does not behave', () => {
  let server: Server;
  let behave: Behaviour;
  let connections = 0;
  const sockets = new Set<Socket>();
  /** Those that a request came by. */
  const requested = new Set<Socket>();
  let egress: Egress;

  beforeEach(async () => {
    connections = 0;
    server = createServer((socket) => {
      connections++;
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          requested.delete(socket);
        });
      socket.once('data', () => {
        requested.add(socket);
        behave(socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    egress = new Egress({ allow: ['127.0.0.1'] });
  });

  afterEach(async () => {
    await egress.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const portOf = (): number => (server.address() as AddressInfo).port;

  function send(url = `http://127.0.0.1:${portOf()}/hook`, body = '{}'): Promise<WebhookAnswer> {
    const sender = new HttpWebhookSender(new WebhookEgress(egress), new SystemClock(), LIMITS);
    const headers = { 'content-type': 'application/json' };
    return sendInTime(sender, { url, organization: 'acme', headers, body, secrets: [] }, LIMITS);
  }

  function named(resolver: Resolver['resolve'], allow = ['hooks.internal']): string {
    egress = new Egress({ allow, resolver: { resolve: resolver } });
    return `http://hooks.internal:${portOf()}/hook`;
  }

  const expectInTime = (answer: WebhookAnswer): void =>
    expect(answer.durationMs).toBeLessThan(LIMITS.timeoutMs + 400);

  it.each([600, 999])('is left when it answers with the status %i', async (status) => {
    behave = after(
      lines(`HTTP/1.1 ${status} Odd`, 'transfer-encoding: chunked'),
      endless('1\r\nx\r\n', 20),
    );
    await expect(egress.fetch(`http://127.0.0.1:${portOf()}/`)).rejects.toThrow(
      `the answer has the status ${status}, which is none of HTTP`,
    );
    await eventually(() => expect(sockets.size).toBe(0));
  });

  it('has few of its tiny chunks waiting in memory while they are not read', async () => {
    behave = after(OK_CHUNKED, endless('1\r\nx\r\n'.repeat(1000)));
    const { body } = await egress.request(`http://127.0.0.1:${portOf()}/`, { method: 'GET' });
    let before = -1;
    await eventually(() => {
      const now = body.readableLength;
      const isStill = now > 0 && now === before;
      before = now;
      expect(isStill).toBe(true);
    });
    expect(body.readableLength).toBeLessThanOrEqual(4096);
    body.on('error', () => undefined).destroy();
  });

  it.each<[string, Behaviour, SendError]>([
    ['says nothing', () => undefined, 'timeout'],
    ['sends its head a byte at a time', endless('H', 20), 'network'],
    [
      'sends a header a byte at a time',
      after('HTTP/1.1 200 OK\r\nx-slow: ', endless('a', 20)),
      'timeout',
    ],
    ['sends informational answers for ever', endless(lines('HTTP/1.1 103 Early Hints')), 'timeout'],
    [
      'sends informational answers slowly',
      endless(lines('HTTP/1.1 102 Processing'), 20),
      'timeout',
    ],
    [
      'sends headers for ever',
      after('HTTP/1.1 200 OK\r\n', endless(`x-big: ${BIG}\r\n`)),
      'network',
    ],
    ['sends one huge header', after('HTTP/1.1 200 OK\r\nx-big: ', endless(BIG)), 'network'],
    ['speaks something else', endless('220 mail.example ESMTP\r\n', 5), 'network'],
    [
      'switches protocols',
      after(lines('HTTP/1.1 101 Switching Protocols', 'upgrade: h2c')),
      'network',
    ],
    ['closes at once', (socket) => socket.destroy(), 'network'],
    ['resets', (socket) => socket.resetAndDestroy(), 'network'],
    ['closes its half', (socket) => socket.end(), 'network'],
    ['closes its half in the head', (socket) => socket.end('HTTP/1.1 200 OK\r\n'), 'network'],
    [
      'says two lengths',
      after(lines('HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 2')),
      'network',
    ],
  ])('that %s is a failure in time', async (_what, behaviour, error) => {
    behave = behaviour;
    const answer = await send();
    expect(answer).toMatchObject({ status: null, error });
    expect(answer.detail).not.toContain('127.0.0.1');
    expectInTime(answer);
  });

  it.each<[string, Behaviour, number]>([
    ['answers without an end', after(OK_CHUNKED, endless(`4000\r\n${BIG}\r\n`)), 4096],
    ['answers slowly without an end', after(OK_CHUNKED, endless('1\r\nx\r\n', 10)), 1],
    [
      'promises gigabytes and sends them',
      after(lines('HTTP/1.1 200 OK', 'content-length: 9000000000'), endless(BIG)),
      4096,
    ],
    [
      'promises gigabytes and stops',
      after(lines('HTTP/1.1 200 OK', 'content-length: 9000000000')),
      0,
    ],
    [
      'breaks off its answer',
      after(`${OK_CHUNKED}5\r\nhello\r\n`, (socket) => setTimeout(() => socket.destroy(), 20)),
      5,
    ],
    ['sends a broken chunk', after(`${OK_CHUNKED}5\r\nhello\r\nzz\r\n`), 0],
    ['answers until it closes', (socket) => socket.end(lines('HTTP/1.1 200 OK') + 'hello'), 5],
  ])('that %s has answered all the same', async (_what, behaviour, leastBytes) => {
    behave = behaviour;
    const answer = await send();
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(answer.response!.length).toBeGreaterThanOrEqual(leastBytes);
    expect(answer.response!.length).toBeLessThanOrEqual(4096);
    expectInTime(answer);
  });

  it('takes little memory for answers without an end, and no connection after them', async () => {
    behave = after(OK_CHUNKED, endless(`4000\r\n${BIG}\r\n`));
    await send();
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 10 }, () => send()));
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
    // Nobody listens to an answer any more once its attempt has ended. (An attempt whose time was up before it
    // was connected leaves its connection to the next one.)
    await eventually(() => expect(requested.size).toBe(0), 10_000);
  });

  it('that answers before it has read the body does not spoil the next request', async () => {
    const early = lines('HTTP/1.1 413 Payload Too Large', 'content-length: 0');
    behave = (socket) => socket.write(early);
    const large = await send(undefined, 'x'.repeat(8 * MIB));
    // What comes first at the hub's end, the answer or the closed connection, is up to the network.
    expect([413, null]).toContain(large.status);
    behave = (socket) => socket.end(lines('HTTP/1.1 200 OK', 'content-length: 2') + 'ok');
    expect(await send()).toMatchObject({ status: 200, response: 'ok' });
  });

  it.each([300, 301, 302, 303, 304, 305, 307, 308, 399])(
    'that answers %i is not followed and recorded as a redirect',
    async (status) => {
      const place = `http://127.0.0.1:${portOf()}/elsewhere`;
      behave = (socket) =>
        socket.end(lines(`HTTP/1.1 ${status} Go`, `location: ${place}`, 'content-length: 0'));
      const answer = await send();
      expect(answer.status).toBe(status);
      expect(errorClassOf(answer.status, answer.error)).toBe('redirect');
      expect(connections).toBe(1);
    },
  );

  it('that offers other ways to be called is called as before', async () => {
    const offer = lines(
      'HTTP/1.1 200 OK',
      'alt-svc: h2="127.0.0.1:1", h3=":1"; ma=99999',
      'upgrade: h2c, websocket',
      'refresh: 0;url=/elsewhere',
      'content-length: 0',
      'connection: close',
    );
    behave = (socket) => socket.end(offer);
    for (let n = 1; n <= 3; n++) {
      expect(await send()).toMatchObject({ status: 200 });
      expect(connections).toBe(n);
    }
  });

  describe('behind a name', () => {
    it('whose servers do not answer ends in the time of a connection', async () => {
      const answer = await send(named(() => new Promise(() => undefined)));
      expect(answer).toMatchObject({ status: null, error: 'timeout' });
      expectInTime(answer);
    });

    it('ends in its total time, also when that is the shorter one', async () => {
      const url = named(() => new Promise(() => undefined));
      const limits = { ...LIMITS, connectTimeoutMs: 20_000, timeoutMs: 200 };
      const sender = new HttpWebhookSender(new WebhookEgress(egress), new SystemClock(), limits);
      const request = { url, organization: 'acme', headers: {}, body: '{}', secrets: [] };
      const answer = await sendInTime(sender, request, limits);
      expect(answer).toMatchObject({ status: null, error: 'timeout' });
      expect(answer.durationMs).toBeLessThan(1000);
    });

    it.each(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL'])(
      'that does not resolve (%s) fails as dns',
      async (code) => {
        const failure = Object.assign(new Error('getaddrinfo at 10.9.9.9'), { code });
        const answer = await send(named(() => Promise.reject(failure)));
        expect(answer).toMatchObject({ error: 'dns', detail: code });
      },
    );

    it('without any address fails as dns', async () => {
      expect(await send(named(async () => []))).toMatchObject({ error: 'dns' });
    });

    it('with hundreds of addresses ends in time, whichever of them answer', async () => {
      const many = Array.from({ length: 400 }, (_, n) => ({
        address: `127.1.${n >> 8}.${n & 255}`,
        family: 4 as const,
      }));
      const answer = await send(named(async () => many));
      expect(answer.status).toBeNull();
      expectInTime(answer);
    });

    it('is asked about again for every connection, and refused when it has moved inwards', async () => {
      const answers = [[LOOPBACK], [LOOPBACK], [LOOPBACK, METADATA]];
      const url = named(async () => answers.shift() ?? [METADATA]);
      behave = (socket) =>
        socket.end(lines('HTTP/1.1 200 OK', 'content-length: 0', 'connection: close'));
      expect(await send(url)).toMatchObject({ status: 200 });
      expect(await send(url)).toMatchObject({ status: 200 });
      const refused = await send(url);
      expect(refused).toMatchObject({ status: null, error: 'egress' });
      expect(refused.detail).toMatch(/metadata/);
      expect(refused.detail).not.toMatch(/169\.254/);
      expect(await send(url)).toMatchObject({ status: null, error: 'egress' });
      expect(connections).toBe(2);
    });

    it('tells its owner no address it resolved to, whatever goes wrong', async () => {
      const port = portOf();
      await new Promise((resolve) => server.close(resolve));
      egress = new Egress({
        allow: ['hooks.internal'],
        resolver: { resolve: async () => [LOOPBACK, { address: '127.0.0.9', family: 4 }] },
      });
      const down = await send(`http://hooks.internal:${port}/`);
      expect(down).toMatchObject({ error: 'connect', detail: 'ECONNREFUSED' });
      expect(JSON.stringify(down)).not.toContain('127.');
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      behave = endless('nonsense ');
      expect(JSON.stringify(await send(`http://hooks.internal:${port}/`))).not.toContain('127.');
      const tls = await send(`https://hooks.internal:${port}/`);
      expect(tls).toMatchObject({ error: 'tls' });
      expect(JSON.stringify(tls)).not.toContain('127.');
    });
  });

  it.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])(
    'is not called through a proxy of %s',
    async (name) => {
      const before = process.env[name];
      process.env[name] = 'http://127.0.0.1:9';
      process.env['NODE_USE_ENV_PROXY'] = '1';
      behave = (socket) => socket.end(lines('HTTP/1.1 200 OK', 'content-length: 0'));
      try {
        expect(await send()).toMatchObject({ status: 200 });
      } finally {
        delete process.env['NODE_USE_ENV_PROXY'];
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      }
    },
  );
});
