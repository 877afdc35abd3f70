import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';
import type { AnchorKind } from '../domain/anchor.js';

/** The table `audit_anchors`: signed statements about the chains of `audit_events`. */
@Entity('audit_anchors')
@Index('audit_anchors_chain_idx', ['chain', 'kind', 'seq'])
export class AuditAnchorEntity {
  @PrimaryColumn({ type: 'bigint', primaryKeyConstraintName: 'audit_anchors_pk' })
  number!: number;

  @Column({ type: 'bigint', transformer: DATE })
  at!: Date;

  @Column({ type: 'text' })
  kind!: AnchorKind;

  @Column({ type: 'text' })
  chain!: string;

  @Column({ type: 'bigint' })
  seq!: number;

  @Column({ name: 'chain_hash', type: 'text' })
  chainHash!: string;

  @Column({ name: 'previous_hash', type: 'text' })
  previousHash!: string;

  @Column({ type: 'text' })
  hash!: string;

  @Column({ type: 'text' })
  kid!: string;

  @Column({ name: 'protected_header', type: 'text' })
  protectedHeader!: string;

  @Column({ type: 'text' })
  signature!: string;

  @Column({ type: 'text' })
  seal!: string;
}
