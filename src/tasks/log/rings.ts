import type { Signals } from '../signals/signals.js';
import type { PreparedAppend } from '../task-store.js';
import type { Delegation } from '../task.js';

/** Rings for what these appends changed, after their commit. */
export function ringFor(signals: Signals, committed: readonly PreparedAppend[]): void {
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

/** Its message is to be sent, or its agent to be told that it has ended, and nobody is at it. */
function waitsForRunner({ state, untold, owner }: Delegation): boolean {
  return owner === null && (state === 'queued' || untold);
}
