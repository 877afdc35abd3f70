import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../common/fake-settable-clock.js';
import type { Log } from '../../common/logger.js';
import { Activity } from '../../observability/activity/activity.js';
import { Metrics } from '../../observability/metrics.js';
import { AttemptRecorder } from './attempt-recorder.js';
import {
  type AttemptRecord,
  type DeliveryStream,
  DeliveryStreamStore,
} from './delivery-stream-store.js';
import { PushMetrics } from './push-metrics.js';

const NOW = 1_000_000_000;

describe('PushMetrics', () => {
  let metrics: Metrics;
  let recorder: AttemptRecorder;

  beforeEach(() => {
    metrics = new Metrics();
    const clock = new SettableClock(NOW);
    const streams = Object.assign(
      Object.create(DeliveryStreamStore.prototype) as DeliveryStreamStore,
      { recordAttempt: () => Promise.resolve('idle' as const) },
    );
    const observer = new PushMetrics(metrics, streams, clock, new Activity(clock));
    const log = { warn: () => undefined } as unknown as Log;
    recorder = new AttemptRecorder(streams, clock, log, { timeoutMs: 1000 }, observer);
  });

  afterEach(() => metrics.close());

  const shown = async (...names: string[]): Promise<string[]> => {
    const { body } = await metrics.render();
    return body.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
  };

  it('shows ends of deliveries from the start, so that the first one is an increase', async () => {
    expect(await shown('a2a_hub_push_deliveries_total')).toEqual([
      'a2a_hub_push_deliveries_total{state="delivered"} 0',
      'a2a_hub_push_deliveries_total{state="dead"} 0',
    ]);
  });

  it('measures how long deliveries took, but not those that were redelivered', async () => {
    const webhook = { organization: 'acme' };
    const stream = { webhook, dueSince: null, leaseUntil: new Date(NOW) };
    const record = (createdMs: number, redelivered: boolean) =>
      recorder.record(
        stream as unknown as DeliveryStream,
        {
          delivery: { createdAt: new Date(NOW - createdMs), redelivered },
          result: { state: 'delivered' },
        } as AttemptRecord,
        new AbortController().signal,
      );
    await record(2000, false);
    // It was given up, and somebody asked for it again after days.
    await record(500_000_000, true);
    expect(
      await shown(
        'a2a_hub_push_delivery_lag_seconds_sum',
        'a2a_hub_push_delivery_lag_seconds_count',
      ),
    ).toEqual([
      'a2a_hub_push_delivery_lag_seconds_sum 2',
      'a2a_hub_push_delivery_lag_seconds_count 1',
    ]);
    expect(await shown('a2a_hub_push_deliveries_total{state="delivered"}')).toEqual([
      'a2a_hub_push_deliveries_total{state="delivered"} 2',
    ]);
  });
});
