// What the kernel says about a process.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU milliseconds (user and system, all threads) of a process so far. */
export function cpuMilliseconds(pid) {
  return ticksIn(`/proc/${pid}/stat`);
}

/** CPU milliseconds of its main thread alone, the one of Node's event loop. */
export function mainThreadMilliseconds(pid) {
  return ticksIn(`/proc/${pid}/task/${pid}/stat`);
}

function ticksIn(file) {
  // The command's name may hold anything, so count the fields after its closing parenthesis.
  const stat = readFileSync(file, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MiB. */
export function residentMib(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) / 1024;
}

/** Looks at a process's memory four times a second; `stop()` ends that and gives the most MiB seen. */
export function watchMemory(pid) {
  let most = residentMib(pid);
  const timer = setInterval(() => (most = Math.max(most, residentMib(pid))), 250);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
}
