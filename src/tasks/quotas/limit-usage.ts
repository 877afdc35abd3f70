import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import {
  amountsOf,
  type AppliedLimit,
  isAlmostUsedUp,
  isUsedUp,
  LimitRegistry,
  type LimitSubject,
  periodEnd,
  subjectOf,
} from '../../limits/index.js';
import { LimitLevels, type OwnedLimit } from '../store/limit-levels.js';
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

  /** Of each of these limits that there is. */
  async of(ids: readonly string[]): Promise<readonly LimitUsageDto[]> {
    const limits = ids.flatMap((id) => this.registry.get(id) ?? []);
    const amounts = limits.flatMap((limit) =>
      amountsOf(limit).map((amount): OwnedLimit => {
        const subject = subjectOf(limit);
        return { limit: { subject, ...amount, takes: 1 }, owner: this.ownerOf(subject) };
      }),
    );
    const used = await this.read(amounts);
    let next = 0;
    return limits.map((limit) => {
      const usage = amountsOf(limit).map(() => this.shown(amounts[next]!.limit, used[next++]!));
      return new LimitUsageDto({ id: limit.id, ...subjectOf(limit), usage });
    });
  }

  /** How much of each is used, as the commits count it. */
  read(limits: readonly OwnedLimit[]): Promise<readonly number[]> {
    return this.levels.used(limits, this.clock.now());
  }

  private ownerOf({ principal }: LimitSubject): UsageOwner {
    const organization = principal === null ? '' : (this.ledger.organizationOf(principal) ?? '');
    return { organization, principalId: principal ?? '' };
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
