import { getHeapStatistics } from 'node:v8';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Spread } from '../common/spread.js';
import { Clock } from '../common/clock.js';
import { AppConfig, HUB_VERSION, ListenerTls } from '../config/index.js';
import { Metrics } from './metrics.js';

/** How often it is looked how late the event loop is. */
const LOOK_EVERY_MS = 20;
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * What runs, and how busy its event loop is. The lags that prom-client measures are those since the last reading, whoever
 * read, and have the period of its timer in them; these numbers add up over any time, for any number of readers.
 */
@Injectable()
export class ProcessMetrics implements OnModuleInit, OnModuleDestroy {
  private readonly delays = new Spread(BUCKETS);
  private timer: NodeJS.Timeout | undefined;
  private dueAt = 0;

  constructor(
    private readonly metrics: Metrics,
    private readonly config: AppConfig,
    private readonly tls: ListenerTls,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const { metrics, delays } = this;
    const version = { version: HUB_VERSION, node: process.version, role: this.config.role };
    metrics.gauge(
      'info',
      'Always 1: the version of the hub, that of Node.js and the role of the process.',
      ['version', 'node', 'role'],
      (give) => give(version, 1),
    );
    metrics.spreads(
      'eventloop_delay_seconds',
      'How late a timer was, looked at every 20 ms: as long as everything in this process waited.',
      [],
      (give) => give({}, delays),
    );
    metrics.totals(
      'eventloop_busy_seconds_total',
      'Seconds in which the event loop was working; its rate is the share of one core that the one thread uses.',
      [],
      (give) => give({}, performance.eventLoopUtilization().active / 1000),
    );
    metrics.gauge(
      'heap_limit_bytes',
      'The most that the heap of JavaScript may take; the process ends when it needs more.',
      [],
      (give) => give({}, getHeapStatistics().heap_size_limit),
    );
    metrics.gauge(
      'certificate_expiry_seconds',
      'Seconds until the certificate ends that a listener of this process shows, where it does TLS.',
      ['listener'],
      (give) => {
        const now = this.clock.now().getTime();
        for (const listener of ['http', 'grpc'] as const) {
          const until = this.tls[listener].until?.getTime();
          if (until !== undefined) give({ listener }, (until - now) / 1000);
        }
      },
    );
    this.dueAt = performance.now() + LOOK_EVERY_MS;
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const now = performance.now();
    // A timer is a millisecond early or late by itself.
    this.delays.observe(Math.max(0, now - this.dueAt) / 1000);
    this.dueAt = now + LOOK_EVERY_MS;
  }
}
