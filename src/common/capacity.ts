import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** What this process may use of its machine. */
export interface Machine {
  /** The smaller of the machine's memory and the cgroup's limit. */
  readonly memoryBytes: number;
  /** V8's limit (`--max-old-space-size`). */
  readonly heapBytes: number;
  /** The soft limit; Node raises it to the hard one when it starts. Infinite where there is none to read. */
  readonly openFiles: number;
}

/** Delegations that may run at once, and what says so. */
export interface Capacity {
  readonly runs: number;
  readonly limitedBy: 'memory' | 'heap' | 'open files' | 'itself' | 'tasks.maxConcurrent';
}

const KIB = 1024;
/** A running delegation that is streamed at both ends, measured; half of what there is may be used so. */
const MEMORY_OF_A_RUN = 200 * KIB;
const HEAP_OF_A_RUN = 128 * KIB;
const PART_FOR_RUNS = 0.5;
/** The client's connection and the agent's. */
const FILES_OF_A_RUN = 2;
/** Left to the database, webhooks, polls, cancels, probes and clients that only ask. */
const OTHER_FILES = 512;
/** More would only be slower: every event costs CPU. */
const MOST = 10_000;
const LEAST = 16;
/** Of these, for one agent at most: the others are left to other agents. */
const PART_OF_AN_AGENT = 0.75;

/** How many delegations this machine can run at once. */
export function capacityOf({ memoryBytes, heapBytes, openFiles }: Machine): Capacity {
  const limits: Capacity[] = [
    { runs: MOST, limitedBy: 'itself' },
    { runs: (memoryBytes * PART_FOR_RUNS) / MEMORY_OF_A_RUN, limitedBy: 'memory' },
    { runs: (heapBytes * PART_FOR_RUNS) / HEAP_OF_A_RUN, limitedBy: 'heap' },
    {
      runs: Math.max(openFiles - OTHER_FILES, openFiles / 2) / FILES_OF_A_RUN,
      limitedBy: 'open files',
    },
  ];
  const { runs, limitedBy } = limits.reduce((least, each) =>
    each.runs < least.runs ? each : least,
  );
  return { runs: Math.max(LEAST, Math.floor(runs)), limitedBy };
}

let ofThisMachine: Capacity | undefined;

/** What the settings `tasks.*` come to here; 0 is derived from this machine, once for each process. */
export function runLimits(tasks: {
  readonly maxConcurrent: number;
  readonly maxPerAgent: number;
}): Capacity & { readonly perAgent: number } {
  const { runs, limitedBy }: Capacity =
    tasks.maxConcurrent > 0
      ? { runs: tasks.maxConcurrent, limitedBy: 'tasks.maxConcurrent' }
      : (ofThisMachine ??= capacityOf(thisMachine()));
  return { runs, limitedBy, perAgent: tasks.maxPerAgent || Math.ceil(runs * PART_OF_AN_AGENT) };
}

function thisMachine(): Machine {
  // Without a limit it is 0, or more than any machine has.
  const constrained = process.constrainedMemory();
  return {
    memoryBytes: Math.min(totalmem(), constrained > 0 ? constrained : Infinity),
    heapBytes: getHeapStatistics().heap_size_limit,
    openFiles: openFilesLimit(),
  };
}

function openFilesLimit(): number {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // No Linux: macOS starts processes with few, and Node raises them as far as it may.
    return Infinity;
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
}
