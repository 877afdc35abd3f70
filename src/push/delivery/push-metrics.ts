import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { Activity } from '../../observability/activity/activity.js';
import { Metrics } from '../../observability/metrics.js';
import { DeliveryStreamStore, type PushLoad } from './delivery-stream-store.js';

/** Readings of the database are used for so long, however often they are asked for. */
const READ_EVERY_MS = 5000;

/** Observes deliveries. */
export interface DeliveryObserver {
  /** A stream was claimed that had been due for so long. */
  claimed(waitedMs: number): void;
  /** One attempt, by what it meant. */
  attempted(verdict: string, durationMs: number): void;
  /** An attempt is recorded, by what its delivery became; so long after that was due first; null when it was redelivered. */
  recorded(
    state: 'delivered' | 'dead' | 'retrying',
    organization: string,
    lagMs: number | null,
  ): void;
}

/** Deliveries and receivers as numbers. */
@Injectable()
export class PushMetrics implements DeliveryObserver, OnModuleInit {
  private readonly attempts;
  private readonly waits;
  private readonly deliveries;
  private readonly lags;
  private load: { readonly at: number; readonly value: Promise<PushLoad> } | undefined;

  constructor(
    private readonly metrics: Metrics,
    private readonly streams: DeliveryStreamStore,
    private readonly clock: Clock,
    private readonly activity: Activity,
  ) {
    this.attempts = metrics.histogram(
      'push_attempt_duration_seconds',
      'Duration of webhook delivery attempts in seconds, by outcome.',
      ['outcome'],
      [0.005, 0.02, 0.1, 0.5, 1, 5, 15],
    );
    this.waits = metrics.histogram(
      'push_wait_seconds',
      'Seconds from when a delivery stream was due until a worker claimed it.',
      [],
      [0.001, 0.01, 0.1, 1, 10, 60, 600, 3600],
    );
    this.lags = metrics.histogram(
      'push_delivery_lag_seconds',
      'Seconds from when a delivery was due first until its receiver had it, its retries and the wait for a worker among them; without those that were redelivered.',
      [],
      [0.01, 0.1, 0.5, 1, 5, 30, 120, 600, 3600, 21600],
    );
    this.deliveries = metrics.counter(
      'push_deliveries_total',
      'Deliveries that have ended, by final state.',
      ['state'],
    );
    // An increase is seen from the first one on only where the series was there before.
    for (const state of ['delivered', 'dead']) this.deliveries.inc({ state }, 0);
  }

  onModuleInit(): void {
    const { metrics } = this;
    metrics.gauge(
      'push_oldest_failing_seconds',
      'Seconds since that receiver began to fail that has failed longest and has deliveries waiting, over the whole hub; 0 for none.',
      [],
      async (give) => give({}, this.secondsSince((await this.read()).oldestFailingSince)),
    );
    metrics.gauge(
      'push_dead_letters',
      'Deliveries of the whole hub that are dead letters and were not sent again, up to 10000.',
      [],
      async (give) => give({}, (await this.read()).deadLetters),
    );
    metrics.gauge(
      'push_endpoints',
      'Endpoints by state, over the whole hub; open: the circuit breaker is open and one delivery stream probes.',
      ['state'],
      async (give) => {
        const { openEndpoints, failingEndpoints, disabledEndpoints } = await this.read();
        give({ state: 'open' }, openEndpoints);
        give({ state: 'failing' }, failingEndpoints);
        give({ state: 'disabled' }, disabledEndpoints);
      },
    );
    metrics.gauge(
      'push_waiting_streams',
      'Delivery streams with something to send, over the whole hub, up to 100000.',
      [],
      async (give) => give({}, (await this.read()).waitingStreams),
    );
    metrics.gauge(
      'push_oldest_due_seconds',
      'Seconds since the oldest delivery stream became due, without those that wait for their endpoint.',
      [],
      async (give) => {
        give({}, this.secondsSince((await this.read()).oldestDueAt));
      },
    );
  }

  claimed(waitedMs: number): void {
    this.waits.observe(waitedMs / 1000);
  }

  attempted(verdict: string, durationMs: number): void {
    this.attempts.observe({ outcome: verdict }, durationMs / 1000);
  }

  recorded(
    state: 'delivered' | 'dead' | 'retrying',
    organization: string,
    lagMs: number | null,
  ): void {
    this.activity.count('deliveries', state, { organization });
    if (state === 'retrying') return;
    this.deliveries.inc({ state });
    if (state === 'delivered' && lagMs !== null) this.lags.observe(Math.max(0, lagMs) / 1000);
  }

  private secondsSince(time: Date | null): number {
    return time === null ? 0 : Math.max(0, this.clock.now().getTime() - time.getTime()) / 1000;
  }

  private read(): Promise<PushLoad> {
    const at = this.clock.now().getTime();
    if (!this.load || Math.abs(at - this.load.at) >= READ_EVERY_MS) {
      const value = this.streams.load();
      // A reading that failed is not kept.
      value.catch(() => (this.load = undefined));
      this.load = { at, value };
    }
    return this.load.value;
  }
}
