import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { SystemClock } from '../../src/common/clock.js';
import { Egress, type ResolvedAddress } from '../../src/common/egress/egress.js';
import { WebhookEgress } from '../../src/common/egress/webhook-egress.js';
import { HttpWebhookSender } from '../../src/push/sending/http-webhook.sender.js';
import type { WebhookAnswer } from '../../src/push/sending/webhook-sender.js';
import { freePort } from '../support/free-port.js';
import { WebhookSink } from '../support/webhook-sink.js';
import { sendInTime } from '../support/send-in-time.js';

const LIMITS = { connectTimeoutMs: 300, timeoutMs: 500, responseBytes: 32 };

describe('HttpWebhookSender', () => {
  let sink: WebhookSink;
  const open: Egress[] = [];

  beforeEach(async () => {
    sink = await WebhookSink.start();
  });
  afterEach(async () => {
    for (const egress of open.splice(0)) await egress.close();
    await sink.close();
  });

  function egressOf(options: ConstructorParameters<typeof Egress>[0]): Egress {
    const egress = new Egress(options);
    open.push(egress);
    return egress;
  }

  function send(
    url: string,
    egress = egressOf({ allow: ['127.0.0.0/8'] }),
    signal = new AbortController().signal,
  ): Promise<WebhookAnswer> {
    const sender = new HttpWebhookSender(new WebhookEgress(egress), new SystemClock(), LIMITS);
    const headers = { authorization: 'Bearer s3cret', 'content-type': 'application/json' };
    return sendInTime(
      sender,
      { url, organization: 'acme', headers, body: '{"a":1}', secrets: ['s3cret'] },
      LIMITS,
      signal,
    );
  }

  it('posts the bytes with the headers and tells the status', async () => {
    const answer = await send(sink.url());
    expect(answer).toMatchObject({ status: 200, error: null, response: '' });
    expect(sink.received[0]).toMatchObject({ method: 'POST', json: { a: 1 } });
    expect(sink.received[0]!.headers).toMatchObject({ authorization: 'Bearer s3cret' });
  });

  it('leaves nothing behind on the signal that lives as long as the process', async () => {
    const process = new AbortController();
    const egress = egressOf({ allow: ['127.0.0.0/8'] });
    for (let n = 0; n < 3; n += 1) await send(sink.url(), egress, process.signal);
    expect(getEventListeners(process.signal, 'abort')).toEqual([]);
    const signal = process.signal as unknown as Record<symbol, unknown>;
    const sizes = Object.getOwnPropertySymbols(signal)
      .map((symbol) => signal[symbol] as { size?: unknown } | null | undefined)
      .map((each) => each?.size ?? 0);
    expect(sizes.filter((size) => size !== 0)).toEqual([]);
  });

  it('never follows a redirect', async () => {
    sink.answer = { status: 307, headers: { location: sink.url('/elsewhere') } };
    expect(await send(sink.url())).toMatchObject({ status: 307, error: null });
    expect(sink.at('/elsewhere')).toEqual([]);
  });

  it('keeps the beginning of the answer, without the secrets it echoes', async () => {
    sink.answer = { status: 500, body: `you sent s3cret ${'x'.repeat(100)}` };
    const { response } = await send(sink.url());
    expect(response).toBe('you sent *** xxxxxxxxxxxxxxxx');
  });

  it('reads Retry-After in seconds and as a date', async () => {
    sink.answer = { status: 503, headers: { 'retry-after': '7' } };
    expect((await send(sink.url())).retryAfterMs).toBe(7000);
    const date = new Date(Date.now() + 60_000).toUTCString();
    sink.answer = { status: 503, headers: { 'retry-after': date } };
    expect((await send(sink.url())).retryAfterMs).toBeGreaterThan(50_000);
    sink.answer = { status: 503, headers: { 'retry-after': 'soon' } };
    expect((await send(sink.url())).retryAfterMs).toBeNull();
  });

  it('ends within its time when no answer comes', async () => {
    sink.answer = 'hang';
    const answer = await send(sink.url());
    expect(answer).toMatchObject({ status: null, error: 'timeout' });
    expect(answer.durationMs).toBeLessThan(2000);
  });

  it('takes a status that came for the answer, though its body never ends', async () => {
    sink.answer = (_request, response) => {
      response.writeHead(200);
      response.write('part');
    };
    expect(await send(sink.url())).toMatchObject({ status: 200, response: 'part' });
  });

  it('tells a cut connection, a refused one and an unknown name apart', async () => {
    sink.answer = 'cut';
    expect(await send(sink.url())).toMatchObject({ status: null, error: 'network' });
    const closed = await freePort();
    expect(await send(`http://127.0.0.1:${closed}/`)).toMatchObject({ error: 'connect' });
    const unknown = egressOf({
      allow: ['hooks.test'],
      resolver: {
        resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
      },
    });
    expect(await send('http://hooks.test/', unknown)).toMatchObject({ error: 'dns' });
  });

  it('tells a TLS failure', async () => {
    const answer = await send(sink.url().replace('http:', 'https:'));
    expect(answer).toMatchObject({ status: null, error: 'tls' });
  });

  it('refuses a private address', async () => {
    const answer = await send(sink.url(), egressOf({ allow: [] }));
    expect(answer).toMatchObject({ status: null, error: 'egress' });
    expect(answer.detail).toMatch(/loopback/);
    expect(sink.received).toEqual([]);
  });

  it('refuses a name that has come to point inwards since it was registered', async () => {
    const public_: ResolvedAddress[] = [{ address: '93.184.216.34', family: 4 }];
    const inside: ResolvedAddress[] = [{ address: '127.0.0.1', family: 4 }];
    const answers = [public_, inside];
    const egress = egressOf({
      allow: [],
      resolver: { resolve: () => Promise.resolve(answers.shift() ?? inside) },
    });
    const url = `https://hooks.test:${sink.port}/hook`;
    expect(await egress.check(url)).toEqual({ verified: true });
    expect(await send(url, egress)).toMatchObject({ status: null, error: 'egress' });
    expect(sink.received).toEqual([]);
  });

  it('stops when it is told to', async () => {
    sink.answer = 'hang';
    const stop = new AbortController();
    const sending = send(sink.url(), undefined, stop.signal);
    await sink.waitForCount(1);
    stop.abort();
    expect(await sending).toMatchObject({ status: null, error: 'network' });
  });
});
