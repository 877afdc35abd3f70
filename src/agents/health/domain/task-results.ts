import type { TaskResult } from '../agent-health.js';
import type { HealthRules } from './health-rules.js';

/** Results of one organization that count, how long they do, and organizations that are remembered. */
const MAX_RESULTS = 20;
const WINDOW_MS = 60 * 60 * 1000;
const MAX_ORGANIZATIONS = 64;

interface Results {
  /** The newest last. */
  readonly failed: readonly boolean[];
  readonly at: number;
}

/** What an agent's results come to. */
export interface TaskFailures {
  /** The share of results that failed (0 to 1), of each organization, averaged over them; null without any. */
  readonly failureRate: number | null;
  /** Most organizations see it fail. */
  readonly isFailing: boolean;
  /** Since when, in epoch milliseconds; null: it is not failing. */
  readonly failingSince: number | null;
}

const NOTHING: TaskFailures = { failureRate: null, isFailing: false, failingSince: null };

/**
 * The results of one agent's tasks, by organization: each weighs the same, however many tasks it has, so
 * that one whose messages the agent cannot digest speaks for itself only. Bounded in all it keeps.
 */
export class TaskResults {
  private readonly byOrganization = new Map<string, Results>();
  private now: TaskFailures = NOTHING;
  private validUntil = 0;
  private counted = { completed: 0, failed: 0 };
  private newestError: string | null = null;
  private completedInARow = 0;

  constructor(private readonly rules: Pick<HealthRules, 'failureRate' | 'failuresToDown'>) {}

  /** All there have been. */
  get counts(): { readonly completed: number; readonly failed: number } {
    return this.counted;
  }

  /** Why the task failed that failed last; null when none has. */
  get lastError(): string | null {
    return this.newestError;
  }

  /** As many were completed since one failed as it takes of failures to call it failing. */
  get hasRecovered(): boolean {
    return this.completedInARow >= this.rules.failuresToDown;
  }

  /** `at` is epoch milliseconds. */
  note(result: TaskResult, at: number): void {
    const { organization, ok } = result;
    const { completed, failed } = this.counted;
    this.counted = ok ? { completed: completed + 1, failed } : { completed, failed: failed + 1 };
    if (!ok) this.newestError = result.error;
    this.completedInARow = ok ? this.completedInARow + 1 : 0;
    const before = this.byOrganization.get(organization)?.failed ?? [];
    // Set anew, so that the one that was heard of longest ago is the first.
    this.byOrganization.delete(organization);
    this.byOrganization.set(organization, {
      failed: [...before.slice(1 - MAX_RESULTS), !ok],
      at,
    });
    this.look(at);
  }

  /** Costs nothing until something is too old to count. */
  failures(at: number): TaskFailures {
    if (at >= this.validUntil) this.look(at);
    return this.now;
  }

  private look(at: number): void {
    for (const [organization, { at: last }] of this.byOrganization) {
      const isOld = last <= at - WINDOW_MS;
      if (!isOld && this.byOrganization.size <= MAX_ORGANIZATIONS) break;
      this.byOrganization.delete(organization);
    }
    const all = [...this.byOrganization.values()];
    const [oldest] = all;
    this.validUntil = oldest === undefined ? Infinity : oldest.at + WINDOW_MS;
    this.now = oldest === undefined ? NOTHING : this.judged(all, at);
  }

  private judged(all: readonly Results[], at: number): TaskFailures {
    const { failureRate: limit, failuresToDown } = this.rules;
    let rates = 0;
    let failing = 0;
    for (const { failed } of all) {
      const failures = failed.filter(Boolean).length;
      const rate = failures / failed.length;
      rates += rate;
      if (failures >= failuresToDown && rate >= limit) failing += 1;
    }
    const isFailing = failing * 2 > all.length;
    const failingSince = isFailing ? (this.now.failingSince ?? at) : null;
    return { failureRate: rates / all.length, isFailing, failingSince };
  }
}
