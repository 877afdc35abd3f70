import type { Tx, Work } from '../../database/sql.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import type { Delegation } from '../task.js';
import { claimableAt, delegationDoubtAt, delegationDueAt, DELEGATIONS } from './task-rows.js';

/** The turn of a delegation that joins the queue; undefined of one that does not. */
export type TurnOf = (delegation: Delegation) => number | undefined;

const INSERT = DELEGATIONS.insert();

/** The delegations that begin with their task. */
export function* insertDelegations(
  tx: Tx,
  appends: readonly PreparedAppend[],
  turnOf: TurnOf,
): Work<void> {
  const added: Delegation[] = [];
  for (const { delegations } of appends) {
    for (const { delegation, added: isNew } of delegations) if (isNew) added.push(delegation);
  }
  yield* INSERT.apply(tx, added, {
    claimableAt,
    turnAt: (each: Delegation) => turnOf(each) ?? each.createdAt.getTime(),
    dueAt: delegationDueAt,
    doubtAt: delegationDoubtAt,
  });
}

/** What an append may change. The epoch belongs to claims alone. */
const CHANGED = [
  'agentName',
  'skillId',
  'state',
  'messageSeq',
  'calls',
  'downstreamContextId',
  'fallbacks',
  'progress',
  'reason',
  'begunAt',
  'updatedAt',
] as const;

/** Of it, what is in an index or follows from that. */
const MOVED = [
  ...CHANGED,
  'agentId',
  'agentSince',
  'downstreamTaskId',
  'cancelPending',
  'deadlineAt',
  'dueAt',
  'doubtAt',
  'turnAt',
  'claimableAt',
] as const;

/** It stays where it is in the queue unless it joins it. */
const TURN = 'COALESCE(NEW, delegations.turn_at)';

/** SQLite writes each index anew of which it is given a column, also where the value is the same. */
const UPDATE_IN_PLACE = DELEGATIONS.update(CHANGED);

const UPDATE_WITH_LEASE = DELEGATIONS.update([...MOVED, 'owner', 'leaseUntil'], { turnAt: TURN });

/** Owner and lease stay as claim and renew left them; one that has a runner may be claimed after its lease. */
const UPDATE_WITHOUT_LEASE = DELEGATIONS.update(MOVED, {
  turnAt: TURN,
  claimableAt:
    'CASE WHEN CAST(NEW AS bigint) IS NULL THEN NULL ELSE COALESCE(delegations.lease_until, 0) END',
});

/** The epoch belongs to claims alone; owner and lease are written only where the patch named them. */
export function* updateDelegations(
  tx: Tx,
  appends: readonly PreparedAppend[],
  turnOf: TurnOf,
): Work<void> {
  const inPlace: Delegation[] = [];
  const withLease: Delegation[] = [];
  const withoutLease: Delegation[] = [];
  for (const { delegations } of appends) {
    for (const { delegation, added, lease, moved } of delegations) {
      if (added) continue;
      if (lease) withLease.push(delegation);
      else (moved ? withoutLease : inPlace).push(delegation);
    }
  }
  const turnAt = (each: Delegation): number | null => turnOf(each) ?? null;
  const derived = { claimableAt, turnAt, dueAt: delegationDueAt, doubtAt: delegationDoubtAt };
  yield* UPDATE_IN_PLACE.apply(tx, inPlace);
  yield* UPDATE_WITH_LEASE.apply(tx, withLease, derived);
  yield* UPDATE_WITHOUT_LEASE.apply(tx, withoutLease, derived);
}
