// What the results mean: counts, whose failure it is, and what only fails through the hub.
import { readFileSync } from 'node:fs';

const KNOWN = JSON.parse(readFileSync(new URL('../known.json', import.meta.url), 'utf8'));

/** Why a failure is the kit's own fault; undefined when it is not known to be. */
export function reasonOfKit(line, { transport, id }) {
  return KNOWN.find(
    (entry) =>
      entry.lines.includes(line) &&
      (!entry.transports || entry.transports.includes(transport)) &&
      entry.tests.includes(nameOf(id)),
  )?.reason;
}

/** Counts of a set of tests; an expected failure (`xfail`) is counted by itself. */
export function countOutcomes(tests) {
  const counts = { passed: 0, failed: 0, skipped: 0, xfailed: 0 };
  for (const { outcome } of tests) counts[outcome] += 1;
  return counts;
}

/** Tests that pass without the hub and do not pass through it. */
export function lostThroughHub(direct, throughHub) {
  const outcomes = new Map(throughHub.map((test) => [keyOf(test), test]));
  return direct
    .filter((test) => test.outcome === 'passed')
    .map((test) => outcomes.get(keyOf(test)) ?? { ...test, outcome: 'missing', reason: '' })
    .filter((test) => test.outcome !== 'passed');
}

function keyOf({ transport, group, id }) {
  return `${transport} ${group} ${id}`;
}

/** The name of the test function: no path, no parameters. */
function nameOf(id) {
  return id.split('::').at(-1).split('[')[0];
}
