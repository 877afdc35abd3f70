import type { Principal } from '../../auth/index.js';
import type { DiskWatch } from '../../database/disk-watch.js';
import type { UsageLedger } from './usage-ledger.js';
import type { UsageOwner } from './usage.js';

/** What may begin: nobody takes more than its quota, nor the space that running tasks need to end. */
export class Quotas {
  constructor(
    private readonly ledger: Pick<UsageLedger, 'reserve' | 'checkStored'>,
    private readonly disk: Pick<DiskWatch, 'refuseWhenLow'>,
  ) {}

  /**
   * Counts a task that is about to begin, until the function it gives is called. Throws QUOTA_EXCEEDED,
   * or UNAVAILABLE while the disk is almost full.
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
}

export function ownerOf({ id, organization }: Principal): UsageOwner {
  return { organization, principalId: id };
}

/** The space that the database has or can have; undefined where it is unknown. */
export function roomOf({ space }: Pick<DiskWatch, 'space'>): number | undefined {
  return space === null ? undefined : space.free + space.reusable + space.used;
}
