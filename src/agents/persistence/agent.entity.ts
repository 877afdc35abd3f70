import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, FLAG, TEXT } from '../../database/columns.js';
import type { Agent } from '../agent.js';

/**
 * The table `agents`. Objects and lists are JSON text, which `AgentRows` reads: one that cannot be read makes an
 * agent that says so.
 */
@Entity('agents')
export class AgentEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agents_pk' })
  id!: string;

  /** In 1.0 wire form. */
  @Column({ type: 'text' })
  card!: string;

  @Column({ name: 'original_card', type: 'text', transformer: TEXT })
  originalCard!: string;

  @Column({ name: 'card_url', type: 'text', nullable: true, transformer: TEXT })
  cardUrl!: string | null;

  /** Each value sealed by `SecretBox`. */
  @Column({ name: 'card_headers', type: 'text' })
  cardHeaders!: string;

  /** JSON of `StoredTrouble`; null: none. */
  @Column({ name: 'card_trouble', type: 'text', nullable: true })
  cardTrouble!: string | null;

  @Column({ name: 'card_keys', type: 'text', nullable: true })
  cardKeys!: string | null;

  @Column({ type: 'text' })
  signature!: string;

  @Column({ type: 'text' })
  endpoint!: string;

  @Column({ name: 'endpoint_override', type: 'text', nullable: true, transformer: TEXT })
  endpointOverride!: string | null;

  @Column({ type: 'text' })
  pin!: string;

  @Column({ type: 'text' })
  refused!: string;

  /** Each value sealed by `SecretBox`. */
  @Column({ type: 'text' })
  credentials!: string;

  /** JSON of `AgentAuthentication`, sealed as a whole; null: none. */
  @Column({ name: 'sealed_authentication', type: 'text', nullable: true })
  sealedAuthentication!: string | null;

  @Column({ name: 'credential_origins', type: 'text' })
  credentialOrigins!: string;

  @Column({ type: 'text' })
  tags!: string;

  @Column({ type: 'integer' })
  priority!: number;

  @Column({ type: 'integer' })
  weight!: number;

  /** Null: the default of the configuration. */
  @Column({ name: 'max_concurrent', type: 'integer', nullable: true })
  maxConcurrent!: number | null;

  /** Null: the default of the configuration. */
  @Column({ name: 'max_queue', type: 'integer', nullable: true })
  maxQueue!: number | null;

  @Column({ type: 'smallint', transformer: FLAG })
  enabled!: boolean;

  /** Null: everybody. */
  @Column({ type: 'text', nullable: true })
  organizations!: string | null;

  @Column({ type: 'text' })
  budgets!: string;

  @Column({ type: 'text', default: '{}' })
  switches!: string;

  @Column({ type: 'text' })
  source!: Agent['source'];

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;

  /** Null while the agent is registered. */
  @Column({ name: 'deleted_at', type: 'bigint', nullable: true, transformer: DATE })
  deletedAt!: Date | null;
}

/** The table `agent_revisions`: one row, raised by every change of `agents`. */
@Entity('agent_revisions')
export class AgentRevisionEntity {
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'agent_revisions_pk' })
  id!: number;

  @Column({ type: 'bigint' })
  revision!: number;
}
