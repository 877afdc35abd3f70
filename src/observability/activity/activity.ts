import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import type { Writable } from '../../common/writable.js';

/**
 * What is counted.
 * - `tasks`: that began (`started`) or ended, by their end state.
 * - `errors`: delegations that ended without success, by the code of their end.
 * - `parts`: delegations that agents completed, or failed by their own fault (`completed`, `failed`), by agent.
 * - `calls`: to agents, by outcome; those that were `answered` with the milliseconds to the first answer.
 * - `callTimes`: those that were answered, by {@link TIME_BOUNDS}.
 * - `conditions`: changes of an agent, by what it became (`down/open`).
 * - `deliveries`: attempts of webhooks, by what the delivery became.
 */
export type ActivityKind =
  | 'tasks'
  | 'errors'
  | 'parts'
  | 'calls'
  | 'callTimes'
  | 'conditions'
  | 'deliveries';

/** Whose a count is, beside that of the whole hub: of an organization, or of an agent. */
export interface ActivityOf {
  readonly organization?: string;
  readonly agentId?: string;
}

/** How often one thing happened in one minute. */
export interface ActivityCount {
  readonly kind: ActivityKind;
  /** Empty: of all. */
  readonly organization: string;
  /** Empty: of all. */
  readonly agentId: string;
  readonly name: string;
  /** When the minute began. */
  readonly at: number;
  readonly count: number;
  readonly totalMs: number;
}

/** Upper bounds, in milliseconds, by which the times of calls are counted; longer ones are `more`. */
export const TIME_BOUNDS: readonly number[] = [
  10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000,
];

export const MINUTE_MS = 60_000;
/** Counts in memory; of what comes beyond, organizations and agents are not told apart. */
const MOST = 5000;
/** While nothing can be stored, not even those of the whole hub beyond this. */
const MOST_OF_ALL = 10_000;

/**
 * Counts in memory what happens, by minute: for eyes, not for bills. A count costs two look-ups in a map; it is stored
 * by {@link ActivityRecorder} seconds later, and a crash loses those seconds.
 */
@Injectable()
export class Activity {
  private counts = new Map<string, Writable<ActivityCount>>();

  constructor(private readonly clock: Clock) {}

  /** Once for the whole hub, and once for whose it is. `name` is one of few. */
  count(kind: ActivityKind, name: string, of: ActivityOf = {}, ms = 0, times = 1): void {
    const now = this.clock.now().getTime();
    const at = now - (now % MINUTE_MS);
    const { organization = '', agentId = '' } = of;
    this.add({ kind, organization: '', agentId: '', name, at, count: times, totalMs: ms });
    if (organization === '' && agentId === '') return;
    if (this.counts.size >= MOST && !this.counts.has(keyOf(kind, name, at, organization, agentId)))
      return;
    this.add({ kind, organization, agentId, name, at, count: times, totalMs: ms });
  }

  /** All counts since the last call. */
  take(): ActivityCount[] {
    const taken = [...this.counts.values()];
    this.counts = new Map();
    return taken;
  }

  /** What could not be stored is counted on. */
  giveBack(counts: readonly ActivityCount[]): void {
    for (const each of counts) this.add(each);
  }

  /** What was counted of an organization and is not stored yet. */
  forget(organization: string): void {
    for (const [key, each] of this.counts) {
      if (each.organization === organization) this.counts.delete(key);
    }
  }

  private add(given: ActivityCount): void {
    const { kind, organization, agentId, name, at } = given;
    const key = keyOf(kind, name, at, organization, agentId);
    const known = this.counts.get(key);
    if (known !== undefined) {
      known.count += given.count;
      known.totalMs += given.totalMs;
    } else if (this.counts.size < MOST_OF_ALL) this.counts.set(key, { ...given });
  }
}

function keyOf(
  kind: string,
  name: string,
  at: number,
  organization: string,
  agentId: string,
): string {
  return `${kind} ${name} ${at} ${agentId} ${organization}`;
}

/** The name that a call of so many milliseconds is counted under as `callTimes`. */
export function timeName(ms: number): string {
  const bound = TIME_BOUNDS.find((each) => ms <= each);
  return bound === undefined ? 'more' : String(bound);
}
