// The tables of the bench: medians over the rounds, and the hub's ratios to its peers.
import { median, print, table } from './tables.mjs';

/** What the hub is compared by. */
const RATIOS = {
  cpuToProxy: 'light agent, CPU per send, to (a)',
  cpuToSdk: 'light agent, CPU per send, to (b)',
  throughput: 'SDK agent, requests per second, to (a)',
  firstEvent: 'first stream event, than (a)',
};

/** Prints everything; `paced` are streams begun at a fixed rate, `memory` is a list of `[target, MiB]`. */
export function printReport(figures, paced, memory) {
  const medians = new Medians(figures);
  print('\nBlocking SendMessage');
  loadTable(medians.of('SendMessage'));
  print('\nSendStreamingMessage: time to the first event');
  loadTable(medians.of('SendStreamingMessage'));
  print('\nStreams begun at a fixed rate: time to the first event');
  loadTable(new Medians(paced).of('SendStreamingMessage'));
  print('\nMemory after load');
  table(
    ['target', 'MiB'],
    memory.map(([name, mib]) => [name, mib.toFixed(0)]),
  );
  print('\nThe hub beside its peers');
  table(['', 'concurrency', 'measured'], ratios(medians));
}

/** How long a choice of agents takes, by the number of skills. */
export function printRouting(figures) {
  const sizes = [...new Set(figures.map(({ skills }) => skills))];
  const of = (skills, kind, share) =>
    median(figures.filter((one) => one.skills === skills).map((one) => one[kind][share]));
  print(
    '\nRouting decision, microseconds: median / 99th percentile (times the median of 10 skills)',
  );
  const cell = (skills, kind) => {
    const p50 = of(skills, kind, 'p50');
    const ratio = p50 / of(sizes[0], kind, 'p50');
    return `${p50.toFixed(1)} / ${of(skills, kind, 'p99').toFixed(1)} (${ratio.toFixed(1)})`;
  };
  table(
    ['skills', 'by text', 'by tags', 'by skill', 'texts routed right'],
    sizes.map((skills) => [
      skills,
      cell(skills, 'text'),
      cell(skills, 'tags'),
      cell(skills, 'skill'),
      `${(100 * figures.find((one) => one.skills === skills).right).toFixed(0)} %`,
    ]),
  );
}

/** What more agents cost; `fanOuts` are the targets in order, the first is the one to compare with. */
export function printFanOut(figures, fanOuts) {
  const medians = new Medians(figures);
  const rows = [];
  for (const concurrency of new Set(figures.map((figure) => figure.concurrency))) {
    const of = ({ name }) => medians.get('hub', name, 'SendMessage', concurrency);
    const base = of(fanOuts[0]);
    for (const fanOut of fanOuts) {
      const { perSecond, p50, cpu } = of(fanOut);
      const more = fanOut.width > 1 ? ((cpu - base.cpu) / (fanOut.width - 1)).toFixed(3) : '';
      rows.push([
        fanOut.name,
        concurrency,
        perSecond.toFixed(0),
        `${p50.toFixed(2)} (${(p50 / base.p50).toFixed(2)})`,
        `${cpu.toFixed(3)} (${(cpu / base.cpu).toFixed(2)})`,
        more,
      ]);
    }
  }
  print('\nFan-out, blocking SendMessage (times that of one agent)');
  table(['agents', 'conc.', 'req/s', 'p50 ms', 'CPU ms/req', 'CPU ms per further agent'], rows);
}

function loadTable(rows) {
  table(
    ['agent', 'conc.', 'target', 'req/s', 'p50 ms', 'p99 ms', 'CPU ms/req', 'main thread'],
    rows.map((row) => [
      row.agent,
      row.concurrency,
      row.name,
      row.perSecond.toFixed(0),
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.cpu.toFixed(3),
      row.mainCpu.toFixed(3),
    ]),
  );
}

class Medians {
  constructor(figures) {
    const groups = new Map();
    for (const figure of figures) {
      const key = keyOf(figure);
      groups.set(key, [...(groups.get(key) ?? []), figure]);
    }
    this.rows = [...groups.values()].map((group) => ({
      ...group[0],
      perSecond: median(group.map((one) => one.perSecond)),
      cpu: median(group.map((one) => one.cpu)),
      mainCpu: median(group.map((one) => one.mainCpu)),
      p50: median(group.map((one) => one.p50)),
      p99: median(group.map((one) => one.p99)),
    }));
  }

  of(method) {
    const rank = (row) => `${row.agent} ${String(row.concurrency).padStart(5)} ${row.name}`;
    return this.rows
      .filter((row) => row.method === method)
      .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  }

  get(name, agent, method, concurrency) {
    return this.rows.find(
      (row) =>
        row.name === name &&
        row.agent === agent &&
        row.method === method &&
        row.concurrency === concurrency,
    );
  }
}

function ratios(medians) {
  const concurrencies = [...new Set(medians.rows.map((row) => row.concurrency))];
  const rows = [];
  for (const concurrency of concurrencies) {
    const send = (name, agent) => medians.get(name, agent, 'SendMessage', concurrency);
    const stream = (name, agent) => medians.get(name, agent, 'SendStreamingMessage', concurrency);
    const times = (value) => `${value.toFixed(2)} times`;
    const later = (agent) =>
      `${(stream('hub', agent).p50 - stream('(a) proxy', agent).p50).toFixed(2)} ms later (${agent})`;
    rows.push(
      [
        RATIOS.cpuToProxy,
        concurrency,
        times(send('hub', 'light').cpu / send('(a) proxy', 'light').cpu),
      ],
      [
        RATIOS.cpuToSdk,
        concurrency,
        times(send('hub', 'light').cpu / send('(b) SDK', 'direct').cpu),
      ],
      [
        RATIOS.throughput,
        concurrency,
        times(send('hub', 'sdk').perSecond / send('(a) proxy', 'sdk').perSecond),
      ],
      [RATIOS.firstEvent, concurrency, `${later('light')}, ${later('sdk')}`],
    );
  }
  return rows.toSorted((one, other) => (one[0] < other[0] ? -1 : one[0] > other[0] ? 1 : 0));
}

function keyOf({ name, agent, method, concurrency }) {
  return [name, agent, method, concurrency].join('|');
}
