import { setImmediate as nextTurn } from 'node:timers/promises';
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { type Audience, type Collect, type MetricDescription, Reading } from './reading.js';
import type { Spread } from '../common/spread.js';

export type { Audience, MetricDescription } from './reading.js';

const PREFIX = 'a2a_hub_';
/** A rendering makes way for others after so long. */
const TURN_MS = 2;

/** The numbers of this process, in Prometheus form at `/metrics`. Names begin with `a2a_hub_`. */
export class Metrics {
  /** What is counted as it happens. */
  private readonly registry = new Registry();
  /** What is read when it is asked for. */
  private readonly readings = new Map<string, Reading | Reading<Spread>>();

  /** Seconds a request took, by method, route pattern and status. */
  readonly httpDuration = this.histogram(
    'http_request_duration_seconds',
    'Seconds from a request to the end of its answer.',
    ['method', 'route', 'status'],
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300],
  );

  private readonly unread = this.counter(
    'metrics_unread_total',
    'Metrics that were left out of a reading because their values could not be read (the database is away), by metric.',
    ['metric'],
  );

  constructor() {
    collectDefaultMetrics({ register: this.registry, prefix: PREFIX });
  }

  /** A spread of values over `buckets`. */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
  ): Histogram<L> {
    const registers = [this.registry];
    return new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers });
  }

  /** A number that only rises. */
  counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  /** Values read when they are asked for: `collect` gives each with its labels. */
  gauge<L extends string>(name: string, help: string, labels: L[], collect: Collect<L>): void {
    this.read({ name: PREFIX + name, type: 'gauge', help, labels }, collect);
  }

  /** The same of numbers that only rise. */
  totals<L extends string>(name: string, help: string, labels: L[], collect: Collect<L>): void {
    this.read({ name: PREFIX + name, type: 'counter', help, labels }, collect);
  }

  /** The same of spreads. */
  spreads<L extends string>(
    name: string,
    help: string,
    labels: L[],
    collect: Collect<L, Spread>,
  ): void {
    this.read({ name: PREFIX + name, type: 'histogram', help, labels }, collect);
  }

  /** All that there are, by name. */
  describe(): MetricDescription[] {
    const counted = this.registry.getMetricsAsArray() as unknown as (MetricDescription & {
      readonly labelNames: readonly string[];
      readonly constructor: { readonly name: string };
    })[];
    return [
      ...counted.map(({ name, help, labelNames, constructor }) => ({
        name,
        type: constructor.name.toLowerCase() as MetricDescription['type'],
        help,
        labels: labelNames.filter((label) => label !== 'le'),
      })),
      ...[...this.readings.values()].map(({ description }) => description),
    ].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * All of them as Prometheus reads them, with the media type to send. What cannot be read is left out: whoever watches a
   * hub in trouble needs the rest.
   */
  async render(
    audience: Audience = 'operator',
  ): Promise<{ readonly contentType: string; readonly body: string }> {
    const turns = new Turns();
    const parts: Promise<string>[] = [];
    for (const reading of this.readings.values()) {
      parts.push(this.partOf(reading, audience));
      await turns.next();
    }
    const texts = await Promise.all(parts);
    for (const { name } of this.registry.getMetricsAsArray()) {
      // It may have been closed meanwhile.
      if (this.registry.getSingleMetric(name) === undefined) break;
      texts.push(`${await this.registry.getSingleMetricAsString(name)}\n`);
      await turns.next();
    }
    return { contentType: this.registry.contentType, body: texts.join('\n') };
  }

  /** Stops the collection; later readings are empty. */
  close(): void {
    this.registry.clear();
    this.readings.clear();
  }

  private read<L extends string, V extends number | Spread>(
    description: MetricDescription,
    collect: Collect<L, V>,
  ): void {
    const { name } = description;
    if (this.readings.has(name)) throw new Error(`a metric ${name} is there already`);
    const reading = new Reading(description, collect);
    this.readings.set(name, reading as Reading | Reading<Spread>);
  }

  private async partOf(reading: Reading | Reading<Spread>, audience: Audience): Promise<string> {
    try {
      return await reading.read(audience);
    } catch {
      this.unread.inc({ metric: reading.description.name });
      return '';
    }
  }
}

/** Lets others run every few milliseconds. */
class Turns {
  private began = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.began < TURN_MS) return;
    await nextTurn();
    this.began = performance.now();
  }
}
