import { expect, it } from '@jest/globals';
import type { EgressRequest } from '../src/common/egress/egress.js';
import { otlpSender } from '../src/observability/tracing/otlp-sender.js';
import { collectGarbage } from './support/collect-garbage.js';

it('a collector that is silent is given up, whatever memory is freed meanwhile', async () => {
  const request = (_: string, { signal }: EgressRequest): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal!.addEventListener('abort', () => reject(new Error('it is over')));
      setTimeout(collectGarbage, 50);
    });
  const to = { url: 'http://collector.example/', headers: {}, ca: null, timeoutMs: 300 };
  const serializer = { serializeRequest: () => undefined };
  const send = otlpSender(serializer as never, { version: '1' } as never, to, { request });
  const sent = await send([], new AbortController().signal);
  expect(sent.trouble).toBe('the collector gave no answer in time');
}, 10_000);
