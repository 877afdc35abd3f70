import { ownEntry } from './audit-entry.js';
import type { AuditLog } from './audit-log.js';

/** How much a retention has deleted, until an entry of the audit log says so: `tasks.expire`, `audit.expire`. */
export class RetentionRecord {
  private count = 0;

  constructor(
    private readonly audit: Pick<AuditLog, 'record'>,
    private readonly type: 'tasks' | 'audit',
  ) {}

  add(count: number): void {
    this.count += count;
  }

  /**
   * Deletes, and records what it has added then; also when it fails halfway. What cannot be recorded now is by the next
   * call.
   */
  async of(before: Date, deletion: () => Promise<void>): Promise<void> {
    try {
      await deletion();
    } catch (error) {
      await this.record(before).catch(() => undefined);
      throw error;
    }
    await this.record(before);
  }

  private async record(before: Date): Promise<void> {
    const { type, count } = this;
    if (count === 0) return;
    const details = { by: 'retention', count, before: before.toISOString() };
    await this.audit.record(ownEntry(`${type}.expire`, 'succeeded', { type, id: null }, details));
    this.count -= count;
  }
}
