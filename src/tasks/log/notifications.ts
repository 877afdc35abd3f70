import type { Signals } from '../signals/signals.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import type { Delegation } from '../task.js';

/** Notifies of what these appends changed, after their commit. */
export function notifyOf(signals: Signals, committed: readonly PreparedAppend[]): void {
  let waiting = false;
  for (const { record, events, delegations, affected } of committed) {
    if (events.length > 0) signals.taskChanged(record.id, record.seq);
    const changed = new Set(affected);
    for (const { delegation, added } of delegations) {
      waiting ||= waitsForRunner(delegation);
      if (!added) changed.add(delegation.id);
    }
    for (const id of changed) signals.delegationChanged(id);
  }
  if (waiting) signals.workWaiting();
}

/** Its message is to be sent, or a cancel is pending, and it has no owner. */
function waitsForRunner({ state, cancelPending, owner }: Delegation): boolean {
  return owner === null && (state === 'queued' || cancelPending);
}
