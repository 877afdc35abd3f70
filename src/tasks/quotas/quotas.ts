import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { Database } from '../../database/database.js';
import { DiskWatch } from '../../database/disk-watch.js';
import {
  amountsOf,
  type AppliedLimit,
  isKnownLater,
  type Limit,
  LimitRegistry,
  NO_SUBJECT,
  RequestRates,
  subjectOf,
} from '../../limits/index.js';
import { QuotaLimits, type Limits } from './quota-limits.js';
import { UsageLedger } from './usage-ledger.js';
import type { Usage, UsageOwner } from '../store/usage.js';

/** A default up to this is always kept exactly, a larger one from this part of it on. */
const SMALL = 1000;
const NEAR = 0.25;

/** The limits of an owner that settings have as well, and what is used of each. */
export const OF_OWNER = [
  ['openTasks', 'openTasks'],
  ['tasksPerDay', 'tasksToday'],
  ['storedBytes', 'storedBytes'],
] as const;

/** An agent that a task is given to, by its skill where one is named. */
export interface Target {
  readonly agentId: string;
  readonly skillId: string | null;
}

/** What may begin: no owner exceeds its quota, and the disk space that running tasks need to end stays free. */
@Injectable()
export class Quotas {
  constructor(
    @Inject(UsageLedger)
    private readonly ledger: Pick<
      UsageLedger,
      'reserve' | 'checkStored' | 'ofPrincipal' | 'ofOrganization'
    >,
    @Inject(DiskWatch) private readonly disk: Pick<DiskWatch, 'refuseWhenLow'>,
    @Inject(QuotaLimits)
    private readonly limits: Pick<
      QuotaLimits,
      'ofPrincipal' | 'ofOrganization' | 'ownOfPrincipal' | 'ownOfOrganization'
    >,
    @Inject(LimitRegistry)
    private readonly registry: Pick<
      LimitRegistry,
      'ofPrincipal' | 'ofOrganization' | 'ofTarget' | 'hasTargets'
    >,
    @Inject(RequestRates) private readonly rates: Pick<RequestRates, 'hasTargets' | 'countMessage'>,
    @Inject(Database) private readonly database: Pick<Database, 'soleProcess'>,
  ) {}

  /**
   * Counts a task that is about to begin, until the function it gives is called. Throws QUOTA_EXCEEDED,
   * or UNAVAILABLE while the disk is almost full. What this process does not know yet is refused by the commit: see
   * {@link exactly}.
   */
  reserveTask(owner: UsageOwner): () => void {
    this.disk.refuseWhenLow();
    return this.ledger.reserve(owner);
  }

  /** Throws the same for a further message of a task. */
  checkMessage(owner: UsageOwner): void {
    this.disk.refuseWhenLow();
    this.ledger.checkStored(owner);
  }

  /** The limits that the commit must keep in which this owner begins a task and gives it to these agents. */
  exactly(owner: UsageOwner, targets: readonly Target[]): readonly AppliedLimit[] {
    const applied = this.ofOwner(owner, true);
    if (this.registry.hasTargets) this.ofTargets(owner, targets, applied);
    return applied;
  }

  /** Some limit says how many messages an agent gets in a second. */
  get hasRates(): boolean {
    return this.rates.hasTargets;
  }

  /**
   * Counts a message that these agents are given. Rejects with RATE_LIMITED when that is too many for one in this second.
   * The function it gives is to be called when another limit refuses the message, or it was given before.
   */
  countMessage(owner: UsageOwner, targets: readonly Target[]): Promise<() => void> {
    return this.rates.countMessage(owner, targets);
  }

  /** The same of the commit of a further message. */
  exactlyStored(owner: UsageOwner): readonly AppliedLimit[] {
    return this.ofOwner(owner, false);
  }

  private ofOwner(owner: UsageOwner, isTask: boolean): AppliedLimit[] {
    const { limits, registry, ledger } = this;
    const { organization, principalId: principal } = owner;
    const applied: AppliedLimit[] = [];
    this.add(applied, isTask, {
      subject: { ...NO_SUBJECT, principal },
      all: limits.ofPrincipal(principal),
      own: limits.ownOfPrincipal(principal),
      limit: registry.ofPrincipal(principal),
      usage: () => ledger.ofPrincipal(owner),
    });
    this.add(applied, isTask, {
      subject: { ...NO_SUBJECT, organization },
      all: limits.ofOrganization(organization),
      own: limits.ownOfOrganization(organization),
      limit: registry.ofOrganization(organization),
      usage: () => ledger.ofOrganization(organization),
    });
    return applied;
  }

  private add(applied: AppliedLimit[], isTask: boolean, of: LimitsOf): void {
    const { subject, all, own, limit } = of;
    for (const [kind, used] of OF_OWNER) {
      const max = all[kind];
      if (max === Infinity || (!isTask && kind !== 'storedBytes')) continue;
      // Of what no other process writes, and no operator has set, the memory knows enough.
      const isOwn = own?.[kind] !== undefined;
      if (!isOwn && this.database.soleProcess) continue;
      if (!isOwn && max > SMALL && of.usage()[used] < max * NEAR) continue;
      applied.push({ subject, kind, max, takes: isKnownLater(kind) ? 0 : 1 });
    }
    if (!isTask || limit === undefined) return;
    for (const amount of amountsOf(limit)) {
      if (OF_OWNER.some(([kind]) => kind === amount.kind)) continue;
      applied.push({ subject, ...amount, takes: isKnownLater(amount.kind) ? 0 : 1 });
    }
  }

  /** An agent that gets several delegations of one task takes as many. */
  private ofTargets(owner: UsageOwner, targets: readonly Target[], applied: AppliedLimit[]): void {
    const times = new Map<Limit, number>();
    for (const target of targets) {
      for (const limit of this.registry.ofTarget(owner, target)) {
        times.set(limit, (times.get(limit) ?? 0) + 1);
      }
    }
    for (const [limit, takes] of times) {
      const subject = subjectOf(limit);
      for (const amount of amountsOf(limit)) {
        applied.push({ subject, ...amount, takes: isKnownLater(amount.kind) ? 0 : takes });
      }
    }
  }
}

/** The limits of an owner. */
interface LimitsOf {
  readonly subject: AppliedLimit['subject'];
  readonly all: Limits;
  /** Of these, what is set for it alone. */
  readonly own: Partial<Limits> | undefined;
  readonly limit: Limit | undefined;
  readonly usage: () => Usage;
}

export function ownerOf({ id, organization }: Principal): UsageOwner {
  return { organization, principalId: id };
}
