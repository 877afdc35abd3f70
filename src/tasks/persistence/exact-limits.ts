import { Injectable } from '@nestjs/common';
import { HubError } from '../../common/hub-error.js';
import { Database } from '../../database/database.js';
import { Signal } from '../../common/signal.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import {
  type AppliedLimit,
  counterOf,
  isAlmostUsedUp,
  isUsedUp,
  LimitCounters,
  periodOf,
  targetOf,
  usedUp,
} from '../../limits/index.js';
import type { AfterCommit } from '../store/append-participant.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import { LimitLevels, type LimitWarning } from '../store/limit-levels.js';
import { dayOf, type UsageOwner } from '../store/usage.js';
import type { Outcomes } from './append-outcomes.js';

/** How much of a limit is used, in one transaction. */
interface Level {
  readonly limit: AppliedLimit;
  readonly period: number;
  readonly before: number;
  used: number;
}

type Levels = ReadonlyMap<string, Level>;

/** What the limits of a batch came to: the appends that they allow, and how much is then used. */
export interface Allowed {
  readonly appends: readonly PreparedAppend[];
  readonly levels: Levels;
}

/**
 * Limits as commits keep them, exactly and whichever process commits: who takes of one locks its row first, and so
 * sees all that was committed before. Open tasks and stored bytes are then read where they are counted anyway
 * (`task_usage`, `delegations`), so that nothing can drift and a crash leaves nothing behind; tasks of a period that
 * nobody else counts are in the row itself.
 */
@Injectable()
export class ExactLimits extends LimitLevels {
  private readonly warned = new Signal<LimitWarning>();
  private readonly refused = new Signal<string>();

  constructor(
    private readonly counters: LimitCounters,
    private readonly database: Database,
  ) {
    super();
  }

  onWarned(listener: (warning: LimitWarning) => void): void {
    this.warned.listen(listener);
  }

  onRefused(listener: (name: string) => void): void {
    this.refused.listen(listener);
  }

  /** After each commit, with how its appends went. */
  committed(outcomes: Outcomes): void {
    for (const outcome of outcomes.values()) {
      if (outcome.kind !== 'poisoned' || !(outcome.cause instanceof HubError)) continue;
      const { reason, metadata } = outcome.cause;
      if (reason === 'QUOTA_EXCEEDED') this.refused.emit(metadata['quota'] ?? '');
    }
  }

  /** The appends that their limits allow, in this order; the others are refused. */
  *within(tx: Tx, batch: readonly PreparedAppend[], outcomes: Outcomes): Work<Allowed> {
    const levels = yield* this.lock(tx, batch);
    const appends = batch.filter((append) => {
      const { limits, record } = append;
      const of = (limit: AppliedLimit): Level => levels.get(counterOf(limit))!;
      const refusing = limits.find((limit) => isUsedUp(limit, of(limit).used));
      if (refusing !== undefined) {
        const cause = usedUp(refusing, of(refusing).used, record.updatedAt);
        outcomes.set(append, { kind: 'poisoned', cause });
        return false;
      }
      for (const limit of limits) of(limit).used += limit.takes;
      return true;
    });
    return { appends, levels };
  }

  /** Counts what the appends have taken that were stored; gives what to do after the commit. */
  *count(tx: Tx, good: readonly PreparedAppend[], levels: Levels): Work<AfterCommit> {
    const taken = new Map<string, number>();
    let at = new Date(0);
    for (const { limits, record } of good) {
      at = record.updatedAt;
      for (const limit of limits) {
        const key = counterOf(limit);
        taken.set(key, (taken.get(key) ?? 0) + limit.takes);
      }
    }
    for (const [key, amount] of taken) {
      const { limit, period } = levels.get(key)!;
      if (hasOwnCount(limit)) yield* this.counters.add(tx, key, period, amount, at);
    }
    return () => {
      for (const { limit, before, used } of levels.values()) {
        if (!isAlmostUsedUp(limit, before) && isAlmostUsedUp(limit, used))
          this.warned.emit({ limit, used });
      }
    };
  }

  async used(limit: AppliedLimit, owner: UsageOwner, now: Date): Promise<number> {
    if (hasOwnCount(limit)) {
      return this.counters.read(counterOf(limit), periodOf(limit.kind, now));
    }
    const { sql, params } = counting(limit, owner, now);
    const [row] = await this.database.read<{ used: number | null }>(sql, params);
    return row?.used ?? 0;
  }

  /** In one order for all processes. */
  private *lock(tx: Tx, batch: readonly PreparedAppend[]): Work<Levels> {
    const wanted = new Map<string, { limit: AppliedLimit; owner: PreparedAppend['record'] }>();
    for (const { limits, record } of batch) {
      for (const limit of limits) wanted.set(counterOf(limit), { limit, owner: record });
    }
    const levels = new Map<string, Level>();
    for (const key of [...wanted.keys()].sort()) {
      const { limit, owner } = wanted.get(key)!;
      const now = owner.updatedAt;
      const period = periodOf(limit.kind, now);
      const counted = yield* this.counters.lock(tx, key, period, now);
      const before = hasOwnCount(limit) ? counted : yield* readCount(tx, limit, owner, now);
      levels.set(key, { limit, period, before, used: before });
    }
    return levels;
  }
}

/** Nobody else counts it. */
function hasOwnCount({ kind, subject }: AppliedLimit): boolean {
  return kind === 'tasksPerMonth' || (kind === 'tasksPerDay' && targetOf(subject) !== null);
}

function* readCount(tx: Tx, limit: AppliedLimit, owner: UsageOwner, now: Date): Work<number> {
  const { sql, params } = counting(limit, owner, now);
  const [row] = yield* tx.all<{ used: number | null }>(sql, params);
  return row?.used ?? 0;
}

/** The statement that counts what is used of a limit which others count. */
function counting(
  { kind, subject }: AppliedLimit,
  owner: UsageOwner,
  now: Date,
): { sql: string; params: SqlValue[] } {
  const target = targetOf(subject);
  if (target !== null) return countingOpen(target, subject.organization, subject.principal);
  const params: SqlValue[] = [];
  let sum = kind === 'openTasks' ? 'open_tasks' : 'stored_bytes';
  if (kind === 'tasksPerDay') {
    sum = 'CASE WHEN day = ? THEN begun ELSE 0 END';
    params.push(dayOf(now));
  }
  let where = 'organization = ?';
  params.push(subject.organization ?? owner.organization);
  if (subject.principal !== null) {
    where += ' AND principal_id = ?';
    params.push(subject.principal);
  }
  return { sql: `SELECT SUM(${sum}) AS used FROM task_usage WHERE ${where}`, params };
}

function countingOpen(
  { agentId, skillId }: { readonly agentId: string; readonly skillId?: string },
  organization: string | null,
  principal: string | null,
): { sql: string; params: SqlValue[] } {
  const params: SqlValue[] = [agentId];
  let where = 'agent_id = ? AND due_at IS NOT NULL';
  const conditions = [
    ['skill_id', skillId ?? null],
    ['organization', organization],
    ['principal_id', principal],
  ] as const;
  for (const [column, value] of conditions) {
    if (value === null) continue;
    where += ` AND ${column} = ?`;
    params.push(value);
  }
  return { sql: `SELECT COUNT(*) AS used FROM delegations WHERE ${where}`, params };
}
