import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The table `principals`: whoever may call the hub. */
@Entity('principals')
export class PrincipalEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'principals_pk' })
  id!: string;

  @Column({ type: 'text' })
  organization!: string;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt!: number;
}
