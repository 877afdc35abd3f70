import { flatten, pieces, rowsOf, typedRows } from '../../database/multi-row.js';
import type { SqlValue, Tx, Work } from '../../database/sql.js';
import type { DelegationWrite, PreparedAppend } from '../task-store.js';
import { claimableAt, delegationValues, millis, RUNNING_STATES } from './task-rows.js';

/** The delegations that begin with their task. */
export function* insertDelegations(tx: Tx, appends: readonly PreparedAppend[]): Work<void> {
  const added = appends.flatMap((append) => append.delegations).filter((write) => write.added);
  for (const piece of pieces(added)) {
    yield* tx.run(
      `INSERT INTO delegations (id, task_id, position, epoch, owner, lease_until, claimable_at,
         created_at, agent_id, agent_name, skill_id, state, message_seq, downstream_task_id,
         downstream_context_id, fallbacks, progress, reason, deadline_at, due_at, updated_at)
       VALUES ${rowsOf(piece.length, 21)}`,
      flatten(piece, addedValues),
    );
  }
}

function addedValues(params: SqlValue[], { delegation }: DelegationWrite): void {
  params.push(
    delegation.id,
    delegation.taskId,
    delegation.position,
    delegation.epoch,
    delegation.owner,
    millis(delegation.leaseUntil),
    claimableAt(delegation.state, delegation.leaseUntil),
    delegation.createdAt.getTime(),
  );
  delegationValues(params, delegation);
}

const DELEGATION_UPDATE_TYPES = [
  'text',
  'smallint',
  'text',
  'bigint',
  'text',
  'text',
  'text',
  'text',
  'integer',
  'text',
  'text',
  'text',
  'text',
  'text',
  'bigint',
  'bigint',
  'bigint',
];

/** The epoch belongs to claims alone; owner and lease are written only where the patch named them. */
export function* updateDelegations(tx: Tx, appends: readonly PreparedAppend[]): Work<void> {
  const changed = appends.flatMap((append) => append.delegations).filter((write) => !write.added);
  for (const piece of pieces(changed)) {
    yield* tx.run(
      `WITH change (id, lease, owner, lease_until, agent_id, agent_name, skill_id, state, message_seq,
         downstream_task_id, downstream_context_id, fallbacks, progress, reason, deadline_at, due_at,
         updated_at) AS (VALUES ${typedRows(piece.length, DELEGATION_UPDATE_TYPES)})
       UPDATE delegations SET agent_id = change.agent_id, agent_name = change.agent_name,
         skill_id = change.skill_id, state = change.state, message_seq = change.message_seq,
         downstream_task_id = change.downstream_task_id,
         downstream_context_id = change.downstream_context_id, fallbacks = change.fallbacks,
         progress = change.progress, reason = change.reason, deadline_at = change.deadline_at,
         due_at = change.due_at, updated_at = change.updated_at,
         owner = CASE change.lease WHEN 1 THEN change.owner ELSE delegations.owner END,
         lease_until =
           CASE change.lease WHEN 1 THEN change.lease_until ELSE delegations.lease_until END,
         claimable_at = CASE
           WHEN change.state = 'queued' THEN 0
           WHEN change.state NOT IN ${RUNNING_STATES} THEN NULL
           WHEN change.lease = 1 THEN COALESCE(change.lease_until, 0)
           ELSE COALESCE(delegations.lease_until, 0) END
       FROM change WHERE delegations.id = change.id`,
      flatten(piece, changedValues),
    );
  }
}

function changedValues(params: SqlValue[], { delegation, lease }: DelegationWrite): void {
  params.push(
    delegation.id,
    lease ? 1 : 0,
    lease ? delegation.owner : null,
    lease ? millis(delegation.leaseUntil) : null,
  );
  delegationValues(params, delegation);
}
