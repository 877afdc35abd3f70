import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/index.js';
import { DiskWatch } from '../../database/disk-watch.js';
import { UsageLedger } from './usage-ledger.js';
import type { UsageOwner } from '../store/usage.js';

/** What may begin: no owner exceeds its quota, and the disk space that running tasks need to end stays free. */
@Injectable()
export class Quotas {
  constructor(
    @Inject(UsageLedger) private readonly ledger: Pick<UsageLedger, 'reserve' | 'checkStored'>,
    @Inject(DiskWatch) private readonly disk: Pick<DiskWatch, 'refuseWhenLow'>,
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
