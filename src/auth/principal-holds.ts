import type { Tx, Work } from '../database/sql.js';
import { type Hold, type PrincipalStatus, type OnBehalf, holdOf } from './domain/hold.js';
import type { PrincipalStore } from './principal-store.js';

/** Tells why something is held back because of its principal; null when it is not. */
export type HoldOf = (principalId: string, work: OnBehalf) => Hold | null;

/** What is held back because of how its principal stands. */
export class PrincipalHolds {
  /** `graceMs`: `auth.keylessGrace`. */
  constructor(
    private readonly store: PrincipalStore,
    private readonly graceMs: number,
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
      const status = statuses.get(principalId);
      return status === undefined ? null : holdOf(status, work, now, this.graceMs);
    };
  }
}
