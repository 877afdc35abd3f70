import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/**
 * Who reads: everybody, who must not learn of agents that are not for everybody; or an operator, with a key of
 * the scope `agents`.
 */
export type Audience = 'everybody' | 'operator';

/** The numbers of this process, in Prometheus form at `/metrics`. Names begin with `a2a_hub_`. */
export class Metrics {
  /** What all read alike. */
  private readonly registry = new Registry();
  private readonly gauges: Readonly<Record<Audience, Registry>> = {
    everybody: new Registry(),
    operator: new Registry(),
  };

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
   * Values read when they are asked for: `collect` gives each with its labels; those of the same labels are
   * added up. What it does not give any more is gone, so that series end with what they tell of.
   */
  gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    collect: (
      give: (labels: Record<L, string>, value: number) => void,
      audience: Audience,
    ) => void | Promise<void>,
  ): void {
    for (const audience of ['everybody', 'operator'] as const) {
      new Gauge({
        name: `a2a_hub_${name}`,
        help,
        labelNames,
        registers: [this.gauges[audience]],
        collect() {
          this.reset();
          const sums = new Map<string, number>();
          return collect((labels, value) => {
            const key = JSON.stringify(labels);
            const sum = (sums.get(key) ?? 0) + value;
            sums.set(key, sum);
            this.set(labels, sum);
          }, audience);
        },
      });
    }
  }

  /** All of them as Prometheus reads them, with the media type to send. */
  async render(
    audience: Audience = 'operator',
  ): Promise<{ readonly contentType: string; readonly body: string }> {
    const registries = [this.registry, this.gauges[audience]];
    const parts = await Promise.all(registries.map((registry) => registry.metrics()));
    return { contentType: this.registry.contentType, body: parts.join('') };
  }

  /** Stops the collection; later readings are empty. */
  close(): void {
    for (const registry of [this.registry, ...Object.values(this.gauges)]) registry.clear();
  }
}
