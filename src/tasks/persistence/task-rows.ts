import { traceIdOf } from '../../common/tracing/trace-context.js';
import { type DatabaseRow, Table } from '../../database/table.js';
import { isTerminal } from '../../protocol/task-state.js';
import { planOf } from '../../routing/index.js';
import { awaitsAuthorization, isOpen, OPEN_STATES } from '../domain/delegation-state.js';
import { retryOf } from '../domain/operator-actions.js';
import type { PreparedAppend } from '../store/prepared-append.js';
import type { Delegation, EventKind, LogHeader, TaskEvent, TaskRecord } from '../task.js';
import { DelegationEntity } from './delegation.entity.js';
import { headerOfText } from './header-text.js';
import { TaskCheckpointEntity, TaskEventEntity } from './task-event.entity.js';
import { type RequestColumn, TaskEntity } from './task.entity.js';
import { LONG_BYTES } from './task-sizes.js';

export const TASKS = new Table(TaskEntity);
export const DELEGATIONS = new Table(DelegationEntity);
export const EVENTS = new Table(TaskEventEntity);
export const CHECKPOINTS = new Table(TaskCheckpointEntity);

/** What tasks are looked for by alone. */
const UNREAD = ['dueAt', 'everyEvent', 'ruleId', 'endCode', 'traceId', 'retryOf'] as const;

/** What is read of a task's row; see {@link toTaskRow}. */
export const TASK_COLUMNS = TASKS.selectBut(...UNREAD).names;

const RECORD = TASKS.selectBut(...UNREAD, 'version', 'checkpointSeq', 'storedBytes', 'request');
const REQUEST = TASKS.select('request');
const STORED = TASKS.select('version', 'checkpointSeq', 'storedBytes');

/** A task's record, and what its row says of how the task is stored. */
export type TaskRow = ReturnType<typeof STORED.read> & { readonly record: TaskRecord };

/** What may be long in a row. */
const LONG_COLUMNS = ['route', 'request', 'cancelMetadata'] as const;
/** Bytes of these up to which a row is short. */
const SHORT = 8 * 1024;

/**
 * What is read of rows before it is known how large they are: all of short ones, of long ones no more than tells that; see
 * {@link toSizedRow}.
 */
export const SIZED_COLUMNS = [
  TASKS.selectBut(...UNREAD, ...LONG_COLUMNS).names,
  ...TASKS.select(...LONG_COLUMNS)
    .names.split(', ')
    .map((name) => `CASE WHEN octet_length(${name}) <= ${SHORT} THEN ${name} END AS ${name}`),
  `${LONG_BYTES} AS long_bytes`,
].join(', ');

const PLACE = TASKS.select('id', 'principalId', 'organization', 'state', 'statusAt', 'storedBytes');

/** A task's row that need not be read before there is room for it. */
export interface SizedRow extends Pick<
  TaskRecord,
  'id' | 'principalId' | 'organization' | 'state' | 'statusAt'
> {
  /** What is stored of the task, its row included: about as much is read of it at most. */
  readonly bytes: number;
  /** Undefined where the row is long. */
  readonly row: TaskRow | undefined;
}

/** A delegation as the hub has it. */
export const DELEGATION = DELEGATIONS.selectBut('claimableAt', 'turnAt', 'dueAt', 'doubtAt');

/** A row of `task_events`. */
export interface EventRow {
  task_id: string;
  seq: number;
  kind: EventKind;
  at: number;
  header: string | null;
  body: string;
}

/** What a row of `task_events` says without its text. */
export type HeaderRow = Pick<EventRow, 'seq' | 'kind' | 'header'>;

/** A delegation has begun and has not ended. */
export const IS_OPEN = `state IN (${OPEN_STATES.map((state) => `'${state}'`).join(', ')})`;

/** A delegation has, or needs, a runner. */
export const NEEDS_RUNNER = `(cancel_pending = 1 OR ${IS_OPEN})`;

/** The row of a task that an append creates. */
export function newTaskRow({
  record,
  expectedVersion,
  checkpoint,
  usage,
  endCode,
}: PreparedAppend): Omit<TaskEntity, 'everyEvent'> {
  return {
    ruleId: record.route.rule?.id ?? null,
    endCode,
    traceId: traceIdOf(record.traceparent) ?? null,
    retryOf: retryOf(record.requestMetadata)?.taskId ?? null,
    request: requestOf(record),
    dueAt: taskDueAt(record),
    version: expectedVersion + 1,
    checkpointSeq: checkpoint === null ? 0 : record.seq,
    storedBytes: usage.storedBytes,
    ...record,
  };
}

export function toTaskRow(row: DatabaseRow): TaskRow {
  const columns = RECORD.read(row);
  const { request } = REQUEST.read(row);
  // What is spread comes last: see `common/merged.ts`.
  const record = {
    plan: planOf(columns.route),
    keyId: request?.keyId ?? null,
    identityId: request?.identityId ?? null,
    issuer: request?.issuer ?? null,
    chain: request?.chain ?? null,
    keepsToken: request?.keepsToken ?? false,
    requestId: request?.requestId ?? null,
    extensions: request?.extensions ?? [],
    hops: request?.hops ?? [],
    tracestate: request?.tracestate ?? null,
    acceptedOutputModes: request?.acceptedOutputModes ?? [],
    requestMetadata: request?.requestMetadata ?? null,
    ...columns,
  };
  return { record, ...STORED.read(row) };
}

export function toSizedRow(found: DatabaseRow): SizedRow {
  const { id, principalId, organization, state, statusAt, storedBytes } = PLACE.read(found);
  const longBytes = Number(found['long_bytes']);
  return {
    id,
    principalId,
    organization,
    state,
    statusAt,
    // Of tasks that were begun when their rows did not count yet, too.
    bytes: Math.max(storedBytes, longBytes),
    row: longBytes <= SHORT ? toTaskRow(found) : undefined,
  };
}

function requestOf(record: TaskRecord): RequestColumn | null {
  const { keyId, identityId, issuer, chain, keepsToken, requestId, extensions, hops } = record;
  const { acceptedOutputModes, requestMetadata, tracestate } = record;
  const column: RequestColumn = {
    ...(keyId !== null && { keyId }),
    ...(identityId !== null && { identityId }),
    ...(issuer !== null && { issuer }),
    ...(chain !== null && { chain }),
    ...(keepsToken && { keepsToken }),
    ...(requestId !== null && { requestId }),
    ...(extensions.length > 0 && { extensions }),
    ...(hops.length > 0 && { hops }),
    ...(tracestate !== null && { tracestate }),
    ...(acceptedOutputModes.length > 0 && { acceptedOutputModes }),
    ...(requestMetadata !== null && { requestMetadata }),
  };
  return Object.keys(column).length === 0 ? null : column;
}

export function toEvent(row: EventRow): TaskEvent {
  return {
    taskId: row.task_id,
    seq: row.seq,
    kind: row.kind,
    at: new Date(row.at),
    header: headerOfText(row.header),
    body: row.body,
  };
}

export function toLogHeader({ seq, kind, header }: HeaderRow): LogHeader {
  return { seq, kind, header: headerOfText(header) };
}

/** A task's deadline while it is open: what `overdue` looks for. */
export function taskDueAt({ state, deadlineAt }: TaskRecord): Date | null {
  return isTerminal(state) ? null : deadlineAt;
}

/** A delegation's deadline while it is open. */
export function delegationDueAt({ state, deadlineAt }: Delegation): Date | null {
  return isOpen(state) ? deadlineAt : null;
}

/** When a delegation ended without the hub knowing whether its agent works on a task for it. */
export function delegationDoubtAt(delegation: Delegation): Date | null {
  const { state, downstreamTaskId, updatedAt } = delegation;
  const isInDoubt = downstreamTaskId === null && (state === 'failed' || state === 'canceled');
  return isInDoubt ? updatedAt : null;
}

/** Whether a delegation has, or needs, a runner. */
export function needsRunner(delegation: Delegation): boolean {
  const { state, cancelPending } = delegation;
  return cancelPending || (isOpen(state) && !awaitsAuthorization(delegation));
}

/** From when a delegation may be claimed: its state and lease say. */
export function claimableAt(delegation: Delegation): number | null {
  return needsRunner(delegation) ? (delegation.leaseUntil?.getTime() ?? 0) : null;
}
