import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import {
  type AppliedLimit,
  isAlmostUsedUp,
  isUsedUp,
  LIMIT_KINDS,
  LimitRegistry,
  periodEnd,
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
    const { organization, principal, agent, skill } = limit;
    const subject = { organization, principal, agent, skill };
    const kinds = LIMIT_KINDS.filter((kind) => limit[kind]);
    const usage = kinds.map((kind) => this.used({ subject, kind, max: limit[kind]!, takes: 1 }));
    return new LimitUsageDto({ id, ...subject, usage: await Promise.all(usage) });
  }

  private async used(limit: AppliedLimit): Promise<UsedDto> {
    const { subject, kind, max } = limit;
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
    return new UsedDto({ kind, used, limit: max, state, resetsAt });
  }
}
