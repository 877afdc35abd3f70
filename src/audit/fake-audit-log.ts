import type { Tx, Work } from '../database/sql.js';
import { txFor } from '../database/sql.js';
import type { AuditEntry } from './audit-entry.js';
import { AuditLog } from './audit-log.js';

/** {@link AuditLog} in memory, for unit tests; works get no database. */
export class FakeAuditLog extends AuditLog {
  readonly head = undefined;
  readonly entries: AuditEntry[] = [];
  /** Set, every entry is refused with it. */
  failure: Error | undefined;

  record(entry: AuditEntry): Promise<string> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.entries.push(entry);
    return Promise.resolve(`entry-${this.entries.length}`);
  }

  async recordFrom(work: (tx: Tx) => Work<readonly AuditEntry[]>): Promise<number> {
    const step = work(txFor('sqlite')).next();
    const entries = step.done ? step.value : [];
    for (const entry of entries) await this.record(entry);
    return entries.length;
  }
}
