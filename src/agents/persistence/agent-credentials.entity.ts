import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** What an agent is called with for one organization, in the place of its own. */
@Entity('agent_credentials', { withoutRowid: true })
@Index('agent_credentials_agent_idx', ['agentId'])
export class AgentCredentialsEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_credentials_pk' })
  organization!: string;

  @PrimaryColumn({
    name: 'agent_id',
    type: 'text',
    primaryKeyConstraintName: 'agent_credentials_pk',
  })
  agentId!: string;

  /** JSON of headers and `AgentAuthentication`, sealed as a whole. */
  @Column({ name: 'sealed_credentials', type: 'text' })
  sealedCredentials!: string;

  /** A JSON list. */
  @Column({ name: 'credential_origins', type: 'text' })
  credentialOrigins!: string;

  @Column({ name: 'updated_at', type: 'bigint', transformer: DATE })
  updatedAt!: Date;
}
