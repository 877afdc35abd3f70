import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An agent has called back about a delegation; deleted by the process that runs it. */
@Entity('agent_callbacks', { withoutRowid: true })
@Index('agent_callbacks_at_idx', ['at'])
export class AgentCallbackEntity {
  @PrimaryColumn({
    name: 'delegation_id',
    type: 'text',
    primaryKeyConstraintName: 'agent_callbacks_pk',
  })
  delegationId!: string;

  @Column({ type: 'bigint' })
  at!: number;
}
