import { Spread } from '../common/spread.js';

/**
 * Who reads: everybody, who must not learn of agents that are not for everybody; or an operator, with a key of
 * the scope `agents`.
 */
export type Audience = 'everybody' | 'operator';

/** What a metric is, whether or not it has series at the moment. */
export interface MetricDescription {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Gives each value with its labels; of the same labels they are added up. */
export type Collect<L extends string, V = number> = (
  give: (labels: Record<L, string>, value: V) => void,
  audience: Audience,
) => void | Promise<void>;

type Series<V> = Map<string, { readonly labels: Readonly<Record<string, string>>; value: V }>;

/** Longer nothing is waited for: a database that hangs must not keep what else there is from the reader. */
const PATIENCE_MS = 3000;

/**
 * A metric whose values are read when they are asked for. What is not given any more is gone, so that series end with
 * what they tell of.
 */
export class Reading<V extends number | Spread = number> {
  constructor(
    readonly description: MetricDescription,
    private readonly collect: Collect<string, V>,
  ) {}

  /** The lines of this metric. Rejects when its values cannot be read, or not soon. */
  async read(audience: Audience): Promise<string> {
    const series: Series<V> = new Map();
    const collected = this.collect((labels, value) => add(series, labels, value), audience);
    if (collected !== undefined) await soon(collected);
    return this.render(series);
  }

  private render(series: Series<V>): string {
    const { name, help, type } = this.description;
    const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
    for (const { labels, value } of series.values()) {
      const shown = Object.entries(labels).map(([label, text]) => `${label}="${quoted(text)}"`);
      if (value instanceof Spread) lines.push(...linesOf(name, shown, value));
      else lines.push(`${name}${inBraces(shown)} ${numberOf(value)}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

function add<V extends number | Spread>(
  series: Series<V>,
  labels: Readonly<Record<string, string>>,
  value: V,
): void {
  const key = JSON.stringify(Object.values(labels));
  const found = series.get(key);
  if (value instanceof Spread) {
    const sum = (found?.value as Spread | undefined) ?? new Spread(value.bounds);
    sum.add(value);
    if (found === undefined) series.set(key, { labels, value: sum as V });
    return;
  }
  const before = (found?.value as number | undefined) ?? 0;
  const sum = (before + Number(value)) as V;
  if (found === undefined) series.set(key, { labels, value: sum });
  else found.value = sum;
}

function linesOf(name: string, labels: readonly string[], spread: Spread): string[] {
  const cumulative = spread.cumulative();
  const buckets = spread.bounds.map(
    (bound, i) => `${name}_bucket${inBraces([`le="${bound}"`, ...labels])} ${cumulative[i]}`,
  );
  return [
    ...buckets,
    `${name}_bucket${inBraces(['le="+Inf"', ...labels])} ${spread.count}`,
    `${name}_sum${inBraces(labels)} ${numberOf(spread.sum)}`,
    `${name}_count${inBraces(labels)} ${spread.count}`,
  ];
}

function inBraces(labels: readonly string[]): string {
  return labels.length === 0 ? '' : `{${labels.join(',')}}`;
}

function numberOf(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '\\"');
}

async function soon(collected: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('it takes too long')), PATIENCE_MS);
  });
  // Its failure after that is of no interest.
  collected.catch(() => undefined);
  try {
    await Promise.race([collected, late]);
  } finally {
    clearTimeout(timer);
  }
}
