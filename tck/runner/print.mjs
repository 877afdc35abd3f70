import { countOutcomes, reasonOfKit } from './results.mjs';

/** One line that is written over while tests run, where the output is a terminal. */
export function showProgress(text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${text}`);
}

export function clearProgress() {
  showProgress('');
}

/** The table: a row for each transport, a column for each group. */
export function printTable(kit, runs) {
  const groups = kit.groups.filter((group) =>
    runs.some(({ tests }) => tests.some((test) => test.group === group)),
  );
  const rows = runs.flatMap(({ name, tests }) =>
    [...new Set(tests.map((test) => test.transport))].map((transport) => [
      kit.line,
      name,
      transport,
      ...groups.map((group) =>
        cell(tests.filter((test) => test.transport === transport && test.group === group)),
      ),
    ]),
  );
  const header = ['line', 'run', 'transport', ...groups];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  const print = (row) =>
    console.log(`| ${row.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`);
  console.log('\nPassed/failed/skipped (x: failed as the kit expects)\n');
  print(header);
  print(widths.map((width) => '-'.repeat(width)));
  rows.forEach(print);
}

/** The failures that are the kit's own, each with the reason. */
export function printFailuresOfKit(kit, { name, tests }) {
  const failures = failuresOf(tests).filter((test) => reasonOfKit(kit.line, test));
  if (failures.length === 0) return;
  console.log(`\n${name}: ${failures.length} failures are the kit's own`);
  for (const test of failures) {
    console.log(`  ${test.transport} ${test.id}\n    ${reasonOfKit(kit.line, test)}`);
  }
}

/** The other failures. Returns how many there are. */
export function printFailures(kit, { name, tests }) {
  const failures = failuresOf(tests).filter((test) => !reasonOfKit(kit.line, test));
  if (failures.length > 0) console.log(`\n${name}: ${failures.length} FAILED`);
  failures.forEach(printTest);
  return failures.length;
}

/** What passes without the hub and does not pass through it. */
export function printLost(lost) {
  if (lost.length === 0) {
    console.log('\nEvery test that passes without the hub passes through it.');
    return;
  }
  console.log(`\n${lost.length} tests pass without the hub and not through it`);
  lost.forEach(printTest);
}

function failuresOf(tests) {
  return tests.filter(({ outcome }) => outcome === 'failed');
}

function printTest({ transport, group, id, outcome, reason }) {
  const lines = reason.trim().split('\n').slice(0, 6);
  console.log(`  ${transport} ${group} ${id}: ${outcome}\n    ${lines.join('\n    ')}`);
}

function cell(tests) {
  if (tests.length === 0) return '';
  const { passed, failed, skipped, xfailed } = countOutcomes(tests);
  return `${passed}/${failed}/${skipped}${xfailed > 0 ? ` x${xfailed}` : ''}`;
}
