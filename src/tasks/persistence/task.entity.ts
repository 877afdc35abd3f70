import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../database/columns.js';
import { shortJson } from '../../database/short-texts.js';
import type { Route } from '../../routing/index.js';
import type { EndCode, TaskRecord } from '../task.js';

/** What came with the send request, where not empty. */
export type RequestColumn = Partial<
  Pick<
    TaskRecord,
    | 'keyId'
    | 'identityId'
    | 'issuer'
    | 'chain'
    | 'keepsToken'
    | 'requestId'
    | 'extensions'
    | 'hops'
    | 'tracestate'
    | 'acceptedOutputModes'
    | 'requestMetadata'
  >
>;

const ROUTE = shortJson([
  '{"reason":"',
  '","strategy":"one","require":"all","chosen":[{"agentId":"',
  '","strategy":"',
  '","require":"all","chosen":[{"agentId":"',
  '"},{"agentId":"',
  '","skillId":"',
  '","why":"',
  '"}],"skipped":[]',
  ',"maxCalls":',
]);

const REQUEST = shortJson(['{"keyId":"', '{"identityId":"', '","issuer":"', '","requestId":"']);

/**
 * The small columns of a task; artifacts and history are in its log. The indexes serve ListTasks:
 * each begins with whose tasks they are and their state, and ends in the order of the list, so that
 * pages and counts read nothing else. (A list of all states merges the newest of each.)
 */
@Entity('tasks', { withoutRowid: true })
@Index('tasks_principal_idx', ['principalId', 'organization', 'state', 'statusAt', 'id'])
@Index('tasks_organization_idx', ['organization', 'state', 'statusAt', 'id'])
@Index('tasks_state_idx', ['state', 'statusAt', 'id'])
@Index('tasks_context_idx', ['contextId', 'principalId', 'organization', 'createdAt'])
@Index('tasks_rule_idx', ['ruleId', 'statusAt', 'id'], { where: '"rule_id" IS NOT NULL' })
@Index('tasks_end_idx', ['endCode', 'statusAt', 'id'], { where: '"end_code" IS NOT NULL' })
@Index('tasks_trace_idx', ['traceId'], { where: '"trace_id" IS NOT NULL' })
@Index('tasks_retry_idx', ['retryOf', 'id'], { where: '"retry_of" IS NOT NULL' })
@Index('tasks_due_idx', ['dueAt'], { where: '"due_at" IS NOT NULL' })
export class TaskEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'tasks_pk' })
  id!: string;

  @Column({ name: 'context_id', type: 'text' })
  contextId!: string;

  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ type: 'text' })
  organization!: string;

  /** The number of A2A's `TaskState`. */
  @Column({ type: 'smallint' })
  state!: number;

  @Column({ name: 'status_at', type: 'bigint', transformer: DATE })
  statusAt!: Date;

  /** The newest event. */
  @Column({ type: 'integer' })
  seq!: number;

  /** Raised by every change of the task or its delegations, except renewed leases. */
  @Column({ type: 'integer' })
  version!: number;

  /** The newest row of `task_checkpoints`; 0 without one. */
  @Column({ name: 'checkpoint_seq', type: 'integer' })
  checkpointSeq!: number;

  @Column({ name: 'cancel_requested_at', type: 'bigint', nullable: true, transformer: DATE })
  cancelRequestedAt!: Date | null;

  /** Metadata of the CancelTask request. */
  @Column({ name: 'cancel_metadata', type: 'text', nullable: true, transformer: JSON_TEXT })
  cancelMetadata!: TaskRecord['cancelMetadata'];

  @Column({ name: 'deadline_at', type: 'bigint', nullable: true, transformer: DATE })
  deadlineAt!: Date | null;

  /** `deadline_at` while the task is open. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true, transformer: DATE })
  dueAt!: Date | null;

  @Column({ type: 'text', transformer: ROUTE })
  route!: Route;

  @Column({ name: 'allow_reply', type: 'smallint', transformer: FLAG })
  allowReply!: boolean;

  /** 1: the participant in appends has requested every entry; see `Appended.everyEvent`. */
  @Column({ name: 'every_event', type: 'smallint', default: 0 })
  everyEvent!: number;

  /** What its rows take, roughly; counted in `task_usage` too. */
  @Column({ name: 'stored_bytes', type: 'bigint', default: 0 })
  storedBytes!: number;

  /** W3C trace context of the call that made the task. */
  @Column({ type: 'text', nullable: true, transformer: TEXT })
  traceparent!: string | null;

  @Column({ type: 'text', nullable: true, transformer: REQUEST })
  request!: RequestColumn | null;

  /** The rule that has chosen its route. */
  @Column({ name: 'rule_id', type: 'text', nullable: true, transformer: TEXT })
  ruleId!: string | null;

  /** Why it has ended without completing. */
  @Column({ name: 'end_code', type: 'text', nullable: true })
  endCode!: EndCode | null;

  /** Of its `traceparent`. */
  @Column({ name: 'trace_id', type: 'text', nullable: true })
  traceId!: string | null;

  /** The task that it retries at the request of an operator. */
  @Column({ name: 'retry_of', type: 'text', nullable: true })
  retryOf!: string | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}
