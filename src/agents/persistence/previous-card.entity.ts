import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** The table `previous_cards`: of each agent whose card has changed, the one before the one in use. */
@Entity('previous_cards')
export class PreviousCardEntity {
  @PrimaryColumn({
    name: 'agent_id',
    type: 'text',
    primaryKeyConstraintName: 'previous_cards_pk',
  })
  agentId!: string;

  /** In 1.0 wire form. */
  @Column({ type: 'text' })
  card!: string;

  @Column({ type: 'text' })
  signature!: string;

  @Column({ name: 'replaced_at', type: 'bigint', transformer: DATE })
  replacedAt!: Date;
}
