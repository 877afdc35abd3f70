import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import {
  amountsOf,
  type AppliedLimit,
  isAlmostUsedUp,
  isUsedUp,
  LimitRegistry,
  periodEnd,
  subjectOf,
} from '../../limits/index.js';
import { LimitLevels } from '../store/limit-levels.js';
import { LimitUsageDto, type LimitState, UsedDto } from './limit-usage.dto.js';
import type { UsageOwner } from '../store/usage.js';
import { UsageLedger } from './usage-ledger.js';

/** How far limits are used up, for operators. */
@Injectable()
export class LimitUsage {
  constructor(
    private readonly registry: LimitRegistry,
    private readonly levels: LimitLevels,
    private readonly ledger: UsageLedger,
    private readonly clock: Clock,
  ) {}

  /** The ids of all limits, in order. */
  ids(): readonly string[] {
    return this.registry
      .all()
      .map(({ id }) => id)
      .sort();
  }

  /** Undefined when there is no such limit. */
  async of(id: string): Promise<LimitUsageDto | undefined> {
    const limit = this.registry.get(id);
    if (limit === undefined) return undefined;
    const subject = subjectOf(limit);
    const { principal } = subject;
    const organization = principal === null ? '' : (this.ledger.organizationOf(principal) ?? '');
    const owner = { organization, principalId: principal ?? '' };
    const usage = amountsOf(limit).map(async (amount) => {
      const applied = { subject, ...amount, takes: 1 };
      return this.shown(applied, await this.read(applied, owner));
    });
    return new LimitUsageDto({ id, ...subject, usage: await Promise.all(usage) });
  }

  /** How much of one is used, as the commits count it; `owner`: whose, of a principal's. */
  read(limit: AppliedLimit, owner: UsageOwner): Promise<number> {
    return this.levels.used(limit, owner, this.clock.now());
  }

  shown(limit: AppliedLimit, used: number): UsedDto {
    const { kind, max, unit = null } = limit;
    const state: LimitState = isUsedUp(limit, used)
      ? 'exceeded'
      : isAlmostUsedUp(limit, used)
        ? 'warned'
        : 'ok';
    const resetsAt = periodEnd(kind, this.clock.now())?.toISOString() ?? null;
    return new UsedDto({ kind, used, limit: max, unit, state, resetsAt });
  }
}
