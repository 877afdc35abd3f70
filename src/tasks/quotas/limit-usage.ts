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
    const limit = this.registry.all().find((each) => each.id === id);
    if (limit === undefined) return undefined;
    const subject = subjectOf(limit);
    const usage = amountsOf(limit).map((amount) => this.used({ subject, ...amount, takes: 1 }));
    return new LimitUsageDto({ id, ...subject, usage: await Promise.all(usage) });
  }

  private async used(limit: AppliedLimit): Promise<UsedDto> {
    const { subject, kind, max, unit = null } = limit;
    const { principal } = subject;
    const organization = principal === null ? '' : (this.ledger.organizationOf(principal) ?? '');
    const now = this.clock.now();
    const owner = { organization, principalId: principal ?? '' };
    const used = await this.levels.used(limit, owner, now);
    const state: LimitState = isUsedUp(limit, used)
      ? 'exceeded'
      : isAlmostUsedUp(limit, used)
        ? 'warned'
        : 'ok';
    const resetsAt = periodEnd(kind, now)?.toISOString() ?? null;
    return new UsedDto({ kind, used, limit: max, unit, state, resetsAt });
  }
}
