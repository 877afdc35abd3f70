import { flatten, pieces, rowsOf } from '../../database/multi-row.js';
import { RowUpdate, type UpdatedColumn } from '../../database/row-update.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import type { DelegationWrite, PreparedAppend } from '../task-store.js';
import type { Delegation } from '../task.js';
import { claimableAt, delegationValues, millis, needsRunner } from './task-rows.js';

/** The turn of a delegation that joins the queue; undefined of one that does not. */
export type TurnOf = (delegation: Delegation) => number | undefined;

/** The delegations that begin with their task. */
export function* insertDelegations(
  tx: Tx,
  appends: readonly PreparedAppend[],
  turnOf: TurnOf,
): Work<void> {
  const added = appends.flatMap((append) => append.delegations).filter((write) => write.added);
  for (const piece of pieces(added)) {
    yield* tx.run(
      `INSERT INTO delegations (id, task_id, organization, principal_id, position, step, epoch, owner,
         lease_until, claimable_at, turn_at, created_at, agent_id, agent_name, skill_id, state, message_seq, calls,
         downstream_task_id, downstream_context_id, fallbacks, progress, reason, untold, deadline_at, due_at,
         begun_at, updated_at)
       VALUES ${rowsOf(piece.length, 28)}`,
      flatten(piece, (params, write) => addedValues(params, write, turnOf)),
    );
  }
}

function addedValues(params: SqlValue[], { delegation }: DelegationWrite, turnOf: TurnOf): void {
  params.push(
    delegation.id,
    delegation.taskId,
    delegation.organization,
    delegation.principalId,
    delegation.position,
    delegation.step,
    delegation.epoch,
    delegation.owner,
    millis(delegation.leaseUntil),
    claimableAt(delegation),
    turnOf(delegation) ?? delegation.createdAt.getTime(),
    delegation.createdAt.getTime(),
  );
  delegationValues(params, delegation);
}

const COLUMNS: readonly UpdatedColumn[] = [
  { name: 'agent_id', type: 'text' },
  { name: 'agent_name', type: 'text' },
  { name: 'skill_id', type: 'text' },
  { name: 'state', type: 'text' },
  { name: 'message_seq', type: 'integer' },
  { name: 'calls', type: 'integer' },
  { name: 'downstream_task_id', type: 'text' },
  { name: 'downstream_context_id', type: 'text' },
  { name: 'fallbacks', type: 'text' },
  { name: 'progress', type: 'text' },
  { name: 'reason', type: 'text' },
  { name: 'untold', type: 'smallint' },
  { name: 'deadline_at', type: 'bigint' },
  { name: 'due_at', type: 'bigint' },
  { name: 'begun_at', type: 'bigint' },
  { name: 'updated_at', type: 'bigint' },
  { name: 'turn_at', type: 'bigint', set: 'COALESCE(NEW, delegations.turn_at)' },
];

const UPDATE_WITH_LEASE = new RowUpdate('delegations', [
  ...COLUMNS,
  { name: 'owner', type: 'text' },
  { name: 'lease_until', type: 'bigint' },
  { name: 'claimable_at', type: 'bigint' },
]);

/** Owner and lease stay as claim and renew left them; one that has a runner may be claimed after its lease. */
const UPDATE_WITHOUT_LEASE = new RowUpdate('delegations', [
  ...COLUMNS,
  {
    name: 'claimable_at',
    type: 'smallint',
    set: 'CASE WHEN CAST(NEW AS smallint) = 1 THEN COALESCE(delegations.lease_until, 0) ELSE NULL END',
  },
]);

/** The epoch belongs to claims alone; owner and lease are written only where the patch named them. */
export function* updateDelegations(
  tx: Tx,
  appends: readonly PreparedAppend[],
  turnOf: TurnOf,
): Work<void> {
  const changed = appends.flatMap((append) => append.delegations).filter((write) => !write.added);
  if (changed.length === 0) return;
  const leased = changed.filter(({ lease }) => lease);
  const others = changed.filter(({ lease }) => !lease);
  yield* UPDATE_WITH_LEASE.apply(tx, leased, (params, { delegation }) => {
    delegationValues(params, delegation);
    params.push(
      turnOf(delegation) ?? null,
      delegation.owner,
      millis(delegation.leaseUntil),
      claimableAt(delegation),
      delegation.id,
    );
  });
  yield* UPDATE_WITHOUT_LEASE.apply(tx, others, (params, { delegation }) => {
    delegationValues(params, delegation);
    params.push(turnOf(delegation) ?? null, needsRunner(delegation) ? 1 : 0, delegation.id);
  });
}
