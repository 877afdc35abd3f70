import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { HubError } from '../../common/hub-error.js';
import { Database } from '../../database/database.js';
import { pieces } from '../../database/multi-row.js';
import { Signal } from '../../common/signal.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import {
  type AppliedLimit,
  type Charge,
  counterOf,
  isAlmostUsedUp,
  isBudget,
  isUsedUp,
  type LeastCount,
  LimitCounters,
  LimitRegistry,
  MILLION,
  monthOf,
  periodOf,
  type PriceList,
  PriceRegistry,
  Spending,
  targetOf,
  usedUp,
} from '../../limits/index.js';
import type { AfterCommit } from '../store/append-participant.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import { LimitLevels, type LimitWarning, type OwnedLimit } from '../store/limit-levels.js';
import { dayOf, type UsageOwner } from '../store/usage.js';
import type { Delegation } from '../task.js';
import type { Outcomes } from './append-outcomes.js';
import { ComparedCounters } from './compared-counters.js';

/** How much of a limit is used, in one transaction. */
interface Level {
  readonly limit: AppliedLimit;
  readonly period: number;
  readonly before: number;
  used: number;
  /** The changes of the limits after which its counter was compared with what the month has seen. */
  readonly comparedAt: number | undefined;
}

type Levels = ReadonlyMap<string, Level>;
type Used = ReadonlyMap<OwnedLimit, number>;

/** What appends spend, as they end the work of agents that has a price, and the budgets that it counts for. */
type Charges = ReadonlyMap<PreparedAppend, readonly Counted[]>;

interface Counted {
  readonly charge: Charge;
  readonly budgets: readonly AppliedLimit[];
}

/** A limit, and what the statement takes that counts what is used of it. */
interface Counting {
  readonly each: OwnedLimit;
  readonly params: readonly SqlValue[];
}

const NO_CHARGES: Charges = new Map();

/** What the limits of a batch came to: the appends that they allow, how much is then used, and what is spent. */
export interface Allowed {
  readonly appends: readonly PreparedAppend[];
  readonly levels: Levels;
  readonly charges: Charges;
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
  private readonly compared: ComparedCounters;

  constructor(
    private readonly counters: LimitCounters,
    private readonly spending: Spending,
    @Inject(LimitRegistry)
    private readonly registry: Pick<LimitRegistry, 'budgetsOf' | 'changes'>,
    @Inject(PriceRegistry) private readonly prices: Pick<PriceRegistry, 'list'>,
    private readonly database: Database,
    @Inject(Clock) clock: Pick<Clock, 'monotonicMs'>,
  ) {
    super();
    this.compared = new ComparedCounters(registry, clock);
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

  /**
   * The appends that their limits allow, in this order; the others are refused. Null when no limit is concerned and
   * nothing is spent, so that there is nothing to do.
   */
  *within(tx: Tx, batch: readonly PreparedAppend[], outcomes: Outcomes): Work<Allowed | null> {
    const charges = this.chargesOf(batch);
    const isLimited = batch.some((append) => append.limits.length > 0);
    if (!isLimited && charges.size === 0) return null;
    const levels = yield* this.lock(tx, batch, charges);
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
    return { appends, levels, charges };
  }

  /** Counts what the appends have taken and spent that were stored; gives what to do after the commit. */
  *count(tx: Tx, good: readonly PreparedAppend[], { levels, charges }: Allowed): Work<AfterCommit> {
    const taken = new Map<string, number>();
    const take = (limit: AppliedLimit, amount: number): void => {
      const key = counterOf(limit);
      taken.set(key, (taken.get(key) ?? 0) + amount);
    };
    const spent: Charge[] = [];
    let at = new Date(0);
    for (const append of good) {
      at = append.record.updatedAt;
      for (const limit of append.limits) take(limit, limit.takes);
      for (const { charge, budgets } of charges.get(append) ?? []) {
        spent.push(charge);
        for (const budget of budgets) {
          levels.get(counterOf(budget))!.used += charge.amount / MILLION;
          take(budget, charge.amount);
        }
      }
    }
    for (const [key, amount] of taken) {
      const { limit, period } = levels.get(key)!;
      if (amount > 0 && hasOwnCount(limit)) {
        yield* this.counters.add(tx, key, period, amount, at);
      }
    }
    if (spent.length > 0) yield* this.spending.add(tx, spent, at);
    return () => {
      for (const [key, { limit, period, before, used, comparedAt }] of levels) {
        if (comparedAt !== undefined) this.compared.add(key, period, comparedAt);
        if (!isAlmostUsedUp(limit, before) && isAlmostUsedUp(limit, used))
          this.warned.emit({ limit, used });
      }
    };
  }

  async used(limits: readonly OwnedLimit[], now: Date): Promise<readonly number[]> {
    const [counted, summed] = await Promise.all([
      this.counted(limits, now),
      this.summed(limits, now),
    ]);
    return limits.map((each) => counted.get(each) ?? summed.get(each) ?? 0);
  }

  /** Of those that have a counter of their own. */
  private async counted(limits: readonly OwnedLimit[], now: Date): Promise<Used> {
    const own = limits.filter(({ limit }) => hasOwnCount(limit));
    const counts = await this.counters.readAll(
      own.map(({ limit }) => [counterOf(limit), periodOf(limit.kind, now)]),
    );
    const used = own.map(async (each, index): Promise<[OwnedLimit, number]> => {
      return [each, inUnits(each.limit, await this.all(each.limit, now, counts[index]))];
    });
    return new Map(await Promise.all(used));
  }

  /** Of those that are counted in what they count. */
  private async summed(limits: readonly OwnedLimit[], now: Date): Promise<Used> {
    const found = new Map<OwnedLimit, number>();
    // Those of one form together: a mix of them would be another text each time, which is prepared anew.
    const forms = new Map<string, Counting[]>();
    for (const each of limits) {
      if (hasOwnCount(each.limit)) continue;
      const { sql, params } = counting(each.limit, each.owner, now);
      const alike = forms.get(sql);
      if (alike === undefined) forms.set(sql, [{ each, params }]);
      else alike.push({ each, params });
    }
    for (const [sql, alike] of forms) {
      for (const piece of pieces(alike)) {
        const rows = await this.database.read<{ n: number; used: number | null }>(
          piece.map((_, n) => `SELECT ${n} AS n, (${sql}) AS used`).join(' UNION ALL '),
          piece.flatMap(({ params }) => params),
        );
        for (const { n, used } of rows) found.set(piece[n]!.each, Number(used ?? 0));
      }
    }
    return found;
  }

  /** What ended delegations cost; work that nobody has taken, and that reports no usage, costs nothing. */
  private chargesOf(batch: readonly PreparedAppend[]): Charges {
    const { list } = this.prices;
    if (list.isEmpty) return NO_CHARGES;
    const charges = new Map<PreparedAppend, readonly Counted[]>();
    for (const append of batch) {
      const found = append.delegations.flatMap((write) =>
        write.ended ? chargesOf(write.delegation, list) : [],
      );
      if (found.length === 0) continue;
      const counted = found.map((charge) => ({ charge, budgets: this.registry.budgetsOf(charge) }));
      charges.set(append, counted);
    }
    return charges;
  }

  /** What a counter says; of a budget of a month, at least what the month has seen. */
  private async all(limit: AppliedLimit, now: Date, count = 0): Promise<number> {
    const { kind, subject, unit } = limit;
    if (kind !== 'budgetPerMonth' || unit === undefined) return count;
    const [key, month] = [counterOf(limit), monthOf(now)];
    if (this.compared.has(key, month)) return count;
    const { changes } = this.compared;
    const seen = await this.spending.readSum(subject, unit, month);
    if (seen > count) return seen;
    this.compared.add(key, month, changes);
    return count;
  }

  /** In one order for all processes. */
  private *lock(tx: Tx, batch: readonly PreparedAppend[], charges: Charges): Work<Levels> {
    const wanted = new Map<string, { limit: AppliedLimit; owner: PreparedAppend['record'] }>();
    for (const append of batch) {
      const owner = append.record;
      for (const limit of append.limits) wanted.set(counterOf(limit), { limit, owner });
      for (const { budgets } of charges.get(append) ?? []) {
        for (const limit of budgets) wanted.set(counterOf(limit), { limit, owner });
      }
    }
    const levels = new Map<string, Level>();
    for (const key of [...wanted.keys()].sort()) {
      const { limit, owner } = wanted.get(key)!;
      const now = owner.updatedAt;
      const period = periodOf(limit.kind, now);
      const { changes } = this.compared;
      const least = this.leastOf(limit, key, period);
      const counted = yield* this.counters.lock(tx, key, period, now, least);
      const before = hasOwnCount(limit)
        ? inUnits(limit, counted)
        : yield* readCount(tx, limit, owner, now);
      const comparedAt = least?.isKnown === false ? changes : undefined;
      levels.set(key, { limit, period, before, used: before, comparedAt });
    }
    return levels;
  }

  /** Of a budget of a month, what the month has seen: before there was this budget, and while it was taken away. */
  private leastOf(
    { kind, subject, unit }: AppliedLimit,
    counter: string,
    period: number,
  ): LeastCount | undefined {
    if (kind !== 'budgetPerMonth' || unit === undefined) return undefined;
    return {
      of: (tx) => this.spending.sum(tx, subject, unit, period),
      isKnown: this.compared.has(counter, period),
    };
  }
}

/** Nobody else counts it. */
function hasOwnCount({ kind, subject }: AppliedLimit): boolean {
  if (kind === 'tasksPerDay') return targetOf(subject) !== null;
  return kind === 'tasksPerMonth' || isBudget(kind);
}

/** Budgets are counted in millionths of their unit. */
function inUnits({ kind }: AppliedLimit, counted: number): number {
  return isBudget(kind) ? counted / MILLION : counted;
}

function chargesOf(
  { organization, principalId, agentId, skillId, state, progress }: Delegation,
  prices: PriceList,
): Charge[] {
  const { usage = {}, times } = progress;
  const isTaken = times?.answeredAt !== undefined && state !== 'rejected';
  if (!isTaken && Object.keys(usage).length === 0) return [];
  const costs = prices.costsOf({ agentId, skillId }, usage, isTaken);
  return costs.map((cost) => ({ organization, principalId, agentId, skillId, ...cost }));
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
