// Targets that are measured in short runs that alternate, so often as there are pairs: what one costs more than another.
import { calibrate } from './calibration.mjs';
import { run, warm } from './rounds.mjs';
import { median, table } from './tables.mjs';

const PAIRS = 20;
const METHOD = 'SendMessage';
const CONCURRENCY = 64;
/** What begins beside a run has begun, and what was beside the one before has ended. */
const SETTLE_MS = 1000;
const FIGURES = [
  ['CPU, ms a send', 'cpu'],
  ['of the main thread', 'mainCpu'],
  ['sends a second', 'perSecond'],
];

/**
 * The figures of a send at each target, by its name; every other pair begins at the other end. What a target has as
 * `beside` begins what goes on beside its runs, and resolves with the function that ends it.
 */
export async function measurePairs(targets, options) {
  for (const target of targets) await warm(target, [METHOD], options);
  const hasBeside = targets.some(({ beside }) => beside);
  const pairs = [];
  const count = options.quick ? 2 : PAIRS;
  for (let at = 0; at < count; at++) {
    console.log(`Pair ${at + 1} of ${count} …`);
    calibrate();
    const pair = {};
    for (const target of at % 2 === 0 ? targets : targets.toReversed()) {
      const job = { concurrency: CONCURRENCY, milliseconds: 1000 * options.seconds };
      const end = await target.beside?.();
      if (hasBeside) await new Promise((done) => setTimeout(done, SETTLE_MS));
      pair[target.name] = await run(target, METHOD, job);
      await end?.();
    }
    pairs.push(pair);
  }
  return pairs;
}

/** A table of what the target `name` takes, beside the one named `beside`. */
export function printPairs(pairs, beside, name) {
  const figure = (target, of) => median(pairs.map((pair) => pair[target][of])).toFixed(3);
  table(
    ['', beside, name, 'times: median of pairs', 'interval (95 %)'],
    FIGURES.map(([what, of]) => {
      const times = pairs.map((pair) => pair[name][of] / pair[beside][of]);
      const [one, other] = [figure(beside, of), figure(name, of)];
      return [what, one, other, median(times).toFixed(3), interval(times)];
    }),
  );
}

/** In which the median of all such pairs lies, from the ranks of these ones (binomial, at least 95 %). */
function interval(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const { length } = sorted;
  let outside = 0;
  let rank = 0;
  let chance = 2 ** -length;
  while (outside + 2 * chance <= 0.05) {
    outside += 2 * chance;
    chance *= (length - rank) / (rank + 1);
    rank += 1;
  }
  if (rank === 0) return 'too few pairs';
  return `${sorted[rank - 1].toFixed(3)} to ${sorted[length - rank].toFixed(3)}`;
}
