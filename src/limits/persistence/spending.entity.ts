import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The table `spending`: what the tasks of a principal have cost at an agent, in one month and one unit. */
@Entity('spending', { withoutRowid: true })
@Index('spending_principal_idx', ['principalId', 'month'])
@Index('spending_agent_idx', ['agentId', 'month'])
@Index('spending_month_idx', ['month'])
export class SpendingEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'spending_pk' })
  organization!: string;

  /** The number of the month (UTC): years times twelve and the month from 0. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'spending_pk' })
  month!: number;

  @PrimaryColumn({ name: 'principal_id', type: 'text', primaryKeyConstraintName: 'spending_pk' })
  principalId!: string;

  @PrimaryColumn({ name: 'agent_id', type: 'text', primaryKeyConstraintName: 'spending_pk' })
  agentId!: string;

  /** Empty: none was named. */
  @PrimaryColumn({ name: 'skill_id', type: 'text', primaryKeyConstraintName: 'spending_pk' })
  skillId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'spending_pk' })
  unit!: string;

  /** Millionths of the unit. */
  @Column({ type: 'bigint' })
  amount!: number;

  @Column({ type: 'bigint' })
  tasks!: number;
}
