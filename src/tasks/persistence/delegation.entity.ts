import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, JSON_TEXT, TEXT } from '../../database/columns.js';
import { shortJson } from '../../database/short-texts.js';
import type { Delegation, DelegationState } from '../task.js';

/** Not its member `endCode`: what failed so is looked for in the text (`search.ts`). */
const PROGRESS = shortJson([
  '{"artifacts":[{"theirs":"',
  '","id":"',
  '","closed":true}],"lastStatus":"',
  '"},{"theirs":"',
  '"}],"lastStatus":"',
  '{"artifacts":[],"lastStatus":"',
  'Z","times":{"sentAt":',
  '"times":{"sentAt":',
  ',"answeredAt":',
  ',"endedAt":',
]);

/** One hub task handed to one agent. */
@Entity('delegations', { withoutRowid: true })
@Index('delegations_task_idx', ['taskId', 'position'])
@Index('delegations_agent_idx', ['agentId', 'taskId'])
@Index('delegations_open_idx', ['agentId'], { where: '"due_at" IS NOT NULL' })
@Index('delegations_downstream_idx', ['downstreamTaskId'], {
  where: '"downstream_task_id" IS NOT NULL',
})
@Index('delegations_doubt_idx', ['agentId', 'doubtAt'], { where: '"doubt_at" IS NOT NULL' })
@Index(
  'delegations_claim_idx',
  ['claimableAt', 'cancelPending', 'agentId', 'organization', 'turnAt', 'id'],
  { where: '"claimable_at" IS NOT NULL' },
)
@Index('delegations_due_idx', ['dueAt'], { where: '"due_at" IS NOT NULL' })
@Index('delegations_owner_idx', ['owner'], { where: '"owner" IS NOT NULL' })
export class DelegationEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delegations_pk' })
  id!: string;

  @Column({ name: 'task_id', type: 'text' })
  taskId!: string;

  @Column({ type: 'integer' })
  position!: number;

  /** Of the route's plan, counted from 0. */
  @Column({ type: 'integer' })
  step!: number;

  @Column({ name: 'agent_id', type: 'text' })
  agentId!: string;

  @Column({ name: 'agent_name', type: 'text', transformer: TEXT })
  agentName!: string;

  /** Of its task. */
  @Column({ type: 'text' })
  organization!: string;

  /** Of its task. */
  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ name: 'skill_id', type: 'text', nullable: true, transformer: TEXT })
  skillId!: string | null;

  @Column({ type: 'text' })
  state!: DelegationState;

  @Column({ name: 'message_seq', type: 'integer' })
  messageSeq!: number;

  /** Messages sent for it. */
  @Column({ type: 'integer' })
  calls!: number;

  @Column({ name: 'downstream_task_id', type: 'text', nullable: true, transformer: TEXT })
  downstreamTaskId!: string | null;

  @Column({ name: 'downstream_context_id', type: 'text', nullable: true, transformer: TEXT })
  downstreamContextId!: string | null;

  @Column({ type: 'text', transformer: JSON_TEXT })
  fallbacks!: Delegation['fallbacks'];

  @Column({ type: 'text', transformer: PROGRESS })
  progress!: Delegation['progress'];

  @Column({ type: 'text', nullable: true, transformer: TEXT })
  reason!: string | null;

  /** It has ended, and its agent is still to get the cancel. */
  @Column({ name: 'cancel_pending', type: 'smallint', transformer: FLAG })
  cancelPending!: boolean;

  /** Raised by every claim. */
  @Column({ type: 'integer' })
  epoch!: number;

  @Column({ type: 'text', nullable: true })
  owner!: string | null;

  @Column({ name: 'lease_until', type: 'bigint', nullable: true, transformer: DATE })
  leaseUntil!: Date | null;

  /** From when it may be claimed: 0 while queued, the end of its lease while a runner is needed, else null. */
  @Column({ name: 'claimable_at', type: 'bigint', nullable: true })
  claimableAt!: number | null;

  /** Its turn in the queue for its agent: the least comes first. */
  @Column({ name: 'turn_at', type: 'bigint' })
  turnAt!: number;

  @Column({ name: 'deadline_at', type: 'bigint', transformer: DATE })
  deadlineAt!: Date;

  /** `deadline_at` while it has begun and not ended. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true, transformer: DATE })
  dueAt!: Date | null;

  /** When it ended without completing and without its agent's task being known; null else. */
  @Column({ name: 'doubt_at', type: 'bigint', nullable: true, transformer: DATE })
  doubtAt!: Date | null;

  /** When its step began. */
  @Column({ name: 'begun_at', type: 'bigint', nullable: true, transformer: DATE })
  begunAt!: Date | null;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  /** When its agent was registered; null in rows that are older than this column, and while it is not known which it will be. */
  @Column({ name: 'agent_since', type: 'bigint', nullable: true, transformer: DATE })
  agentSince!: Date | null;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}
