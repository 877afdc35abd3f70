// The tables of the bench's push part.
import { median, percentile, print, table } from './tables.mjs';

/** Deliveries of hubs with more and more dead receivers, beside the bare loop. */
export function printPush(figures) {
  const hub = figures.filter(({ name }) => name === 'hub');
  const bare = figures.filter(({ name }) => name === 'bare');
  const numbers = [...new Set(hub.map(({ dead }) => dead))].toSorted((a, b) => a - b);
  for (const way of ['one', 'many']) {
    const of = (some) => some.filter((figure) => figure.way === way);
    const [{ concurrency }] = of(bare);
    const base = median(of(bare).map(({ perSecond }) => perSecond));
    const title = way === 'one' ? 'one receiver' : 'many receivers';
    print(`\nDeliveries to ${title}, ${concurrency} at once`);
    const rows = numbers.map((dead) => {
      const own = of(hub).filter((figure) => figure.dead === dead);
      const perSecond = median(own.map((figure) => figure.perSecond));
      const cpu = median(own.map((figure) => figure.cpu));
      const ratio = (perSecond / base).toFixed(3);
      return [`hub, ${dead} dead`, perSecond.toFixed(0), ratio, cpu.toFixed(2)];
    });
    table(
      ['', 'per second', 'of the bare loop', 'CPU ms each'],
      [['bare undici loop', base.toFixed(0), 1, ''], ...rows],
    );
  }
  print('\nFrom the timestamp of an event to its arrival, ms');
  const row = (title, some) => {
    const all = some.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
    return [title, all.length, percentile(all, 0.5).toFixed(1), percentile(all, 0.99).toFixed(1)];
  };
  const waits = (some) => some.filter(({ way }) => way === 'latency');
  table(
    ['', 'requests', 'p50', 'p99'],
    [
      row('bare request', waits(bare)),
      ...numbers.map((dead) =>
        row(
          `hub, ${dead} dead`,
          waits(hub).filter((figure) => figure.dead === dead),
        ),
      ),
    ],
  );
}

/** What deliveries that wait cost in memory. */
export function printBacklog({ pending, receivers, full, empty }) {
  print(`\nMemory with ${pending} deliveries pending for ${receivers} dead receivers`);
  table(
    ['', 'MiB'],
    [
      ['hub with nothing to deliver', empty.toFixed(0)],
      ['hub that has them, while it tries', full.toFixed(0)],
      ['times', (full / empty).toFixed(2)],
    ],
  );
}
