import type { SqlValue } from '../../database/sql.js';
import { storable } from '../../database/text.js';
import { isTerminal } from '../../protocol/task-state.js';
import { planOf, type Route } from '../../routing/index.js';
import { isOpen, OPEN_STATES } from '../domain/delegation-state.js';
import type { Delegation, DelegationState, EventKind, TaskEvent, TaskRecord } from '../task.js';

/** A row of `tasks`. */
export interface TaskRow {
  id: string;
  context_id: string;
  principal_id: string;
  organization: string;
  state: number;
  status_at: number;
  seq: number;
  version: number;
  checkpoint_seq: number;
  cancel_requested_at: number | null;
  cancel_metadata: string | null;
  deadline_at: number | null;
  route: string;
  allow_reply: number;
  traceparent: string | null;
  request: string | null;
  stored_bytes: number | string;
  created_at: number;
  updated_at: number;
}

/** A row of `delegations`. */
export interface DelegationRow {
  id: string;
  task_id: string;
  position: number;
  step: number;
  agent_id: string;
  agent_name: string;
  organization: string;
  principal_id: string;
  skill_id: string | null;
  state: DelegationState;
  message_seq: number;
  calls: number;
  downstream_task_id: string | null;
  downstream_context_id: string | null;
  fallbacks: string;
  progress: string;
  reason: string | null;
  untold: number;
  epoch: number;
  owner: string | null;
  lease_until: number | null;
  deadline_at: number;
  begun_at: number | null;
  created_at: number;
  updated_at: number;
}

/** A row of `task_events`. */
export interface EventRow {
  task_id: string;
  seq: number;
  kind: EventKind;
  at: number;
  body: string;
}

export const TASK_COLUMNS = `id, context_id, principal_id, organization, state, status_at, seq,
  version, checkpoint_seq, cancel_requested_at, cancel_metadata, deadline_at, route, allow_reply,
  traceparent, request, stored_bytes, created_at, updated_at`;

export const DELEGATION_COLUMNS = `id, task_id, position, step, agent_id, agent_name, organization,
  principal_id, skill_id, state, message_seq, calls, downstream_task_id, downstream_context_id, fallbacks, progress, reason,
  untold, epoch, owner, lease_until, deadline_at, begun_at, created_at, updated_at`;

/** A delegation has begun and has not ended. */
export const IS_OPEN = `state IN (${OPEN_STATES.map((state) => `'${state}'`).join(', ')})`;

/** A delegation has, or needs, a runner. */
export const NEEDS_RUNNER = `(untold = 1 OR ${IS_OPEN})`;

/** What came with the send request, in one JSON column; null when nothing did. */
type RequestColumn = Partial<
  Pick<TaskRecord, 'keyId' | 'extensions' | 'hops' | 'acceptedOutputModes' | 'requestMetadata'>
>;

export function toRequestColumn(record: TaskRecord): string | null {
  const column: Record<string, unknown> = {};
  if (record.keyId !== null) column.keyId = record.keyId;
  if (record.extensions.length > 0) column.extensions = record.extensions;
  if (record.hops.length > 0) column.hops = record.hops;
  if (record.acceptedOutputModes.length > 0) {
    column.acceptedOutputModes = record.acceptedOutputModes;
  }
  if (record.requestMetadata !== null) column.requestMetadata = record.requestMetadata;
  return Object.keys(column).length === 0 ? null : JSON.stringify(column);
}

export function toRecord(row: TaskRow): TaskRecord {
  const request = row.request === null ? {} : (JSON.parse(row.request) as RequestColumn);
  const route = JSON.parse(row.route) as Route;
  return {
    id: row.id,
    contextId: row.context_id,
    principalId: row.principal_id,
    organization: row.organization,
    state: row.state,
    statusAt: new Date(row.status_at),
    seq: row.seq,
    route,
    plan: planOf(route),
    allowReply: row.allow_reply === 1,
    cancelRequestedAt: dateOrNull(row.cancel_requested_at),
    cancelMetadata:
      row.cancel_metadata === null
        ? null
        : (JSON.parse(row.cancel_metadata) as Record<string, unknown>),
    deadlineAt: dateOrNull(row.deadline_at),
    keyId: request.keyId ?? null,
    traceparent: row.traceparent,
    extensions: request.extensions ?? [],
    hops: request.hops ?? [],
    acceptedOutputModes: request.acceptedOutputModes ?? [],
    requestMetadata: request.requestMetadata ?? null,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

export function toDelegation(row: DelegationRow): Delegation {
  return {
    id: row.id,
    taskId: row.task_id,
    agentId: row.agent_id,
    agentName: row.agent_name,
    organization: row.organization,
    principalId: row.principal_id,
    skillId: row.skill_id,
    position: row.position,
    step: row.step,
    state: row.state,
    messageSeq: row.message_seq,
    calls: row.calls,
    downstreamTaskId: row.downstream_task_id,
    downstreamContextId: row.downstream_context_id,
    fallbacks: JSON.parse(row.fallbacks) as Delegation['fallbacks'],
    progress: JSON.parse(row.progress) as Delegation['progress'],
    reason: row.reason,
    untold: row.untold === 1,
    epoch: row.epoch,
    owner: row.owner,
    leaseUntil: dateOrNull(row.lease_until),
    deadlineAt: new Date(row.deadline_at),
    begunAt: dateOrNull(row.begun_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

export function toEvent(row: EventRow): TaskEvent {
  return {
    taskId: row.task_id,
    seq: row.seq,
    kind: row.kind,
    at: new Date(row.at),
    body: row.body,
  };
}

/** A task's deadline while it is open: what `overdue` looks for. */
export function taskDueAt(record: TaskRecord): number | null {
  return isTerminal(record.state) ? null : millis(record.deadlineAt);
}

/** A delegation's deadline while it is open. */
export function delegationDueAt({ state, deadlineAt }: Delegation): number | null {
  return isOpen(state) ? deadlineAt.getTime() : null;
}

/** Whether a delegation has, or needs, a runner. */
export function needsRunner({ state, untold }: Delegation): boolean {
  return untold || isOpen(state);
}

/** From when a delegation may be claimed: its state and lease say. */
export function claimableAt(delegation: Delegation): number | null {
  return needsRunner(delegation) ? (millis(delegation.leaseUntil) ?? 0) : null;
}

/** The columns of a delegation that an append may change, in the order of its statements. */
export function delegationValues(params: SqlValue[], delegation: Delegation): void {
  params.push(
    delegation.agentId,
    storable(delegation.agentName),
    storable(delegation.skillId),
    delegation.state,
    delegation.messageSeq,
    delegation.calls,
    storable(delegation.downstreamTaskId),
    storable(delegation.downstreamContextId),
    JSON.stringify(delegation.fallbacks),
    JSON.stringify(delegation.progress),
    storable(delegation.reason),
    delegation.untold ? 1 : 0,
    delegation.deadlineAt.getTime(),
    delegationDueAt(delegation),
    millis(delegation.begunAt),
    delegation.updatedAt.getTime(),
  );
}

export function millis(date: Date | null): number | null {
  return date === null ? null : date.getTime();
}

function dateOrNull(at: number | null): Date | null {
  return at === null ? null : new Date(at);
}
