import type { Signals } from '../signals.js';
import type { Taken } from './live-task.js';

/** Rings for what these appends changed, after their commit. */
export function ringFor(signals: Signals, committed: readonly Taken[]): void {
  let queued = false;
  for (const { append, concerned } of committed) {
    const { record, events, delegations } = append;
    if (events.length > 0) signals.taskChanged(record.id, record.seq);
    const changed = new Set(concerned);
    for (const { delegation, added } of delegations) {
      queued ||= delegation.state === 'queued';
      if (!added) changed.add(delegation.id);
    }
    for (const id of changed) signals.delegationChanged(id);
  }
  if (queued) signals.workWaiting();
}
