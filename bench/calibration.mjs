// How fast the machine is while the bench runs: the same work again and again, in milliseconds of this
// process's CPU. Where it moves, absolute figures of different rounds cannot be compared.
import { createHash } from 'node:crypto';
import { print } from './tables.mjs';

const times = [];

/** Does the work once. */
export function calibrate() {
  const before = process.cpuUsage();
  let text = 'a2a';
  for (let turn = 0; turn < 20_000; turn++) {
    const value = JSON.parse(JSON.stringify({ turn, text, parts: [{ text }, { turn }] }));
    text = createHash('sha256').update(value.parts[0].text).digest('hex');
  }
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1000);
}

/** Prints the fastest and the slowest; the first is not counted, it compiles. */
export function printCalibration() {
  const counted = times.slice(1);
  if (counted.length === 0) return;
  const [least, most] = [Math.min(...counted), Math.max(...counted)];
  print(
    `\nThe same calibrating work took ${least.toFixed(0)} to ${most.toFixed(0)} ms of CPU (times ${(most / least).toFixed(2)}) during this run.`,
  );
}
