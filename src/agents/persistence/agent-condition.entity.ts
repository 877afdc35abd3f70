import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TEXT } from '../../database/columns.js';

/** How an agent stands, as one of several processes has seen it. Empty on SQLite. */
@Entity('agent_conditions', { withoutRowid: true })
@Index('agent_conditions_version_idx', ['process', 'version'])
export class AgentConditionEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_conditions_pk' })
  process!: string;

  @PrimaryColumn({
    name: 'agent_id',
    type: 'text',
    primaryKeyConstraintName: 'agent_conditions_pk',
  })
  agentId!: string;

  @Column({ type: 'bigint' })
  revision!: number;

  @Column({ type: 'bigint' })
  version!: number;

  @Column({ type: 'text' })
  health!: string;

  @Column({ type: 'text' })
  breaker!: string;

  @Column({ type: 'text' })
  verdict!: string;

  @Column({ type: 'bigint', nullable: true })
  since!: number | null;

  @Column({ name: 'last_error', type: 'text', nullable: true, transformer: TEXT })
  lastError!: string | null;
}
