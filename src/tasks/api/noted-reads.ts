import { Injectable } from '@nestjs/common';
import { actorOf, AuditLog } from '../../audit/index.js';
import type { Principal } from '../../auth/index.js';
import { Clock } from '../../common/clock.js';
import { evictOldest } from '../../common/evict-oldest.js';
import { HubError } from '../../common/hub-error.js';
import type { TaskRecord } from '../task.js';

/** Within this time a caller that reads a task again, page by page or anew, has one entry in the audit log. */
export const NOTED_FOR_MS = 600_000;
/** So many reads are remembered; older ones have an entry again. */
const MOST = 10_000;

/** Notes in the audit log who reads the events of tasks of others, before they are read. */
@Injectable()
export class NotedReads {
  private readonly reads = new Map<
    string,
    { readonly at: number; readonly noted: Promise<void> }
  >();

  constructor(
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Rejects with UNAVAILABLE when it cannot be noted: then nothing may be shown. */
  note(
    caller: Principal,
    { id, principalId, organization }: Pick<TaskRecord, 'id' | 'principalId' | 'organization'>,
    requestId: string,
  ): Promise<void> {
    if (principalId === caller.id && organization === caller.organization) return Promise.resolve();
    const actor = actorOf(caller);
    const key = JSON.stringify([id, actor]);
    const at = this.clock.now().getTime();
    const known = this.reads.get(key);
    if (known !== undefined && Math.abs(at - known.at) < NOTED_FOR_MS) return known.noted;
    this.reads.delete(key);
    const noted = this.record({ id, actor, requestId }).catch((error: unknown) => {
      this.reads.delete(key);
      throw error;
    });
    evictOldest(this.reads, MOST);
    this.reads.set(key, { at, noted });
    return noted;
  }

  private async record({
    id,
    actor,
    requestId,
  }: {
    readonly id: string;
    readonly actor: ReturnType<typeof actorOf>;
    readonly requestId: string;
  }): Promise<void> {
    try {
      await this.audit.record({
        action: 'tasks.events',
        outcome: 'succeeded',
        actor,
        resource: { type: 'tasks', id },
        requestId,
        policy: null,
        details: {},
      });
    } catch (cause) {
      const text =
        'The audit log cannot be written, so the events of the task are not shown: see the log of the hub, then try again.';
      throw new HubError('UNAVAILABLE', text, { cause, metadata: { retryAfterSeconds: '5' } });
    }
  }
}
