import { Injectable } from '@nestjs/common';
import { type AppConfig, Settings } from '../config/index.js';
import type { Tx, Work } from '../database/sql.js';
import { type Hold, type PrincipalStatus, type OnBehalf, holdOf } from './domain/hold.js';
import { PrincipalStore } from './principal-store.js';

/**
 * Tells why something is held back because of its principal, also of one that is not there any more; null when it is not, as what
 * no principal has brought about.
 */
export type HoldOf = (principalId: string | null, work: OnBehalf) => Hold | null;

/** What is held back because of the status of its principal. */
@Injectable()
export class PrincipalHolds {
  constructor(
    private readonly store: PrincipalStore,
    @Settings('auth') private readonly settings: Pick<AppConfig['auth'], 'keylessGraceMs'>,
  ) {}

  /** As this transaction sees them; no principal asked about changes until it ends. */
  *heldIn(tx: Tx, principalIds: Iterable<string>, now: Date): Work<HoldOf> {
    return this.heldBy(yield* this.store.statusesIn(tx, [...new Set(principalIds)]), now);
  }

  async held(principalIds: Iterable<string>, now: Date): Promise<HoldOf> {
    return this.heldBy(await this.store.statuses([...new Set(principalIds)]), now);
  }

  private heldBy(statuses: ReadonlyMap<string, PrincipalStatus>, now: Date): HoldOf {
    return (principalId, work) => {
      if (principalId === null) return null;
      const status = statuses.get(principalId);
      if (status === undefined) return 'principal-disabled';
      return holdOf(status, work, now, this.settings.keylessGraceMs);
    };
  }
}
