import type { Tx, Work } from '../../database/sql.js';
import type { OwnedUsageChange, Usage, UsageOwner } from './usage.js';

export interface OwnedUsage extends UsageOwner, Usage {}

/** What organizations and principals use, as the database has it. It is counted in the commits themselves. */
export abstract class UsageStore {
  /** Adds to what is stored, in the commit it belongs to: one change for each owner, in their order. */
  abstract add(tx: Tx, changes: readonly OwnedUsageChange[], now: Date): Work<void>;

  /** The usage of all principals of which something has changed since then; of all without a time. */
  abstract read(now: Date, changedSince: Date | null): Promise<OwnedUsage[]>;

  /** Those of these owners of whom nothing is stored: they never had anything, or it was deleted. */
  abstract missing(owners: readonly UsageOwner[]): Promise<UsageOwner[]>;
}
