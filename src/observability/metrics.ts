import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** The numbers of this process, in Prometheus form at `/metrics`. Names begin with `a2a_hub_`. */
export class Metrics {
  private readonly registry = new Registry();

  /** Seconds a request took, by method, route pattern and status. */
  readonly httpDuration = this.histogram(
    'http_request_duration_seconds',
    'Seconds from a request to the end of its answer.',
    ['method', 'route', 'status'],
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: 'a2a_hub_' });
  }

  /** A spread of values over `buckets`. */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
  ): Histogram<L> {
    const registers = [this.registry];
    return new Histogram({ name: `a2a_hub_${name}`, help, labelNames, buckets, registers });
  }

  /** A number that only rises. */
  counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name: `a2a_hub_${name}`, help, labelNames, registers: [this.registry] });
  }

  /**
   * Values read when they are asked for: `collect` gives each with its labels. What it does not give
   * any more is gone, so that series end with what they tell of.
   */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    collect: (give: (labels: Record<L, string>, value: number) => void) => void | Promise<void>,
  ): void {
    new Gauge({
      name: `a2a_hub_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        return collect((labels, value) => this.set(labels, value));
      },
    });
  }

  /** All of them as Prometheus reads them, with the media type to send. */
  async render(): Promise<{ readonly contentType: string; readonly body: string }> {
    return { contentType: this.registry.contentType, body: await this.registry.metrics() };
  }

  /** Stops the collection; later readings are empty. */
  close(): void {
    this.registry.clear();
  }
}
