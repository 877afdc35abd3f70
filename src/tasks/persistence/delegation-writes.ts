import type { Tx, Work } from '../../database/sql.js';
import type { DelegationWrite, PreparedAppend } from '../store/prepared-append.js';
import type { Delegation } from '../task.js';
import { claimableAt, delegationDueAt, DELEGATIONS } from './task-rows.js';

/** The turn of a delegation that joins the queue; undefined of one that does not. */
export type TurnOf = (delegation: Delegation) => number | undefined;

const INSERT = DELEGATIONS.insert();

/** The delegations that begin with their task. */
export function* insertDelegations(
  tx: Tx,
  appends: readonly PreparedAppend[],
  turnOf: TurnOf,
): Work<void> {
  const added = appends.flatMap((append) => append.delegations).filter((write) => write.added);
  const rows = added.map(({ delegation }) => ({
    ...delegation,
    claimableAt: claimableAt(delegation),
    turnAt: turnOf(delegation) ?? delegation.createdAt.getTime(),
    dueAt: delegationDueAt(delegation),
  }));
  yield* INSERT.apply(tx, rows);
}

/** What an append may change. The epoch belongs to claims alone. */
const CHANGED = [
  'agentId',
  'agentName',
  'skillId',
  'state',
  'messageSeq',
  'calls',
  'downstreamTaskId',
  'downstreamContextId',
  'fallbacks',
  'progress',
  'reason',
  'cancelPending',
  'deadlineAt',
  'dueAt',
  'begunAt',
  'updatedAt',
  'turnAt',
  'claimableAt',
] as const;

/** It stays where it is in the queue unless it joins it. */
const TURN = 'COALESCE(NEW, delegations.turn_at)';

const UPDATE_WITH_LEASE = DELEGATIONS.update([...CHANGED, 'owner', 'leaseUntil'], { turnAt: TURN });

/** Owner and lease stay as claim and renew left them; one that has a runner may be claimed after its lease. */
const UPDATE_WITHOUT_LEASE = DELEGATIONS.update(CHANGED, {
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
  const changed = appends.flatMap((append) => append.delegations).filter((write) => !write.added);
  if (changed.length === 0) return;
  const rowOf = ({ delegation }: DelegationWrite): ChangedDelegation => ({
    ...delegation,
    claimableAt: claimableAt(delegation),
    turnAt: turnOf(delegation) ?? null,
    dueAt: delegationDueAt(delegation),
  });
  yield* UPDATE_WITH_LEASE.apply(tx, changed.filter(({ lease }) => lease).map(rowOf));
  yield* UPDATE_WITHOUT_LEASE.apply(tx, changed.filter(({ lease }) => !lease).map(rowOf));
}

type ChangedDelegation = Delegation & {
  readonly claimableAt: number | null;
  readonly turnAt: number | null;
  readonly dueAt: Date | null;
};
