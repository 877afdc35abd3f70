import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';

/** The table `sign_in_blocks`: who may not sign in again, by keyed digests. */
@Entity('sign_in_blocks')
export class SignInBlockEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'sign_in_blocks_pk' })
  id!: string;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;
}
