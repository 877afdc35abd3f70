import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** One hub task handed to one agent. */
@Entity('delegations', { withoutRowid: true })
@Index('delegations_task_idx', ['taskId', 'position'])
@Index('delegations_agent_idx', ['agentId', 'taskId'])
@Index('delegations_downstream_idx', ['downstreamTaskId'], {
  where: '"downstream_task_id" IS NOT NULL',
})
@Index(
  'delegations_claim_idx',
  ['claimableAt', 'untold', 'agentId', 'organization', 'turnAt', 'id'],
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

  @Column({ name: 'agent_name', type: 'text' })
  agentName!: string;

  /** Of its task. */
  @Column({ type: 'text' })
  organization!: string;

  /** Of its task. */
  @Column({ name: 'principal_id', type: 'text' })
  principalId!: string;

  @Column({ name: 'skill_id', type: 'text', nullable: true })
  skillId!: string | null;

  @Column({ type: 'text' })
  state!: string;

  @Column({ name: 'message_seq', type: 'integer' })
  messageSeq!: number;

  /** Messages sent for it. */
  @Column({ type: 'integer' })
  calls!: number;

  @Column({ name: 'downstream_task_id', type: 'text', nullable: true })
  downstreamTaskId!: string | null;

  @Column({ name: 'downstream_context_id', type: 'text', nullable: true })
  downstreamContextId!: string | null;

  /** JSON. */
  @Column({ type: 'text' })
  fallbacks!: string;

  /** JSON of `DelegationProgress`. */
  @Column({ type: 'text' })
  progress!: string;

  @Column({ type: 'text', nullable: true })
  reason!: string | null;

  /** 1: its agent has yet to be told of its end, 0: not. */
  @Column({ type: 'smallint' })
  untold!: number;

  /** Raised by every claim. */
  @Column({ type: 'integer' })
  epoch!: number;

  @Column({ type: 'text', nullable: true })
  owner!: string | null;

  @Column({ name: 'lease_until', type: 'bigint', nullable: true })
  leaseUntil!: number | null;

  /** From when it may be claimed: 0 while queued, the end of its lease while a runner is needed, else null. */
  @Column({ name: 'claimable_at', type: 'bigint', nullable: true })
  claimableAt!: number | null;

  /** Its turn in the queue for its agent: the least comes first. */
  @Column({ name: 'turn_at', type: 'bigint' })
  turnAt!: number;

  @Column({ name: 'deadline_at', type: 'bigint' })
  deadlineAt!: number;

  /** `deadline_at` while it has begun and not ended. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt!: number | null;

  /** When its step began. */
  @Column({ name: 'begun_at', type: 'bigint', nullable: true })
  begunAt!: number | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt!: number;
}
