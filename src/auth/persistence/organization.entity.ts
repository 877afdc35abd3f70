import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE, JSON_TEXT } from '../../database/columns.js';

/** The table `organizations`: what principals belong to. Times are epoch milliseconds. */
@Entity('organizations')
export class OrganizationEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'organizations_pk' })
  id!: string;

  @Column({ name: 'display_name', type: 'text', nullable: true })
  displayName!: string | null;

  @Column({ type: 'text', nullable: true })
  description!: string | null;

  @Column({ type: 'text', transformer: JSON_TEXT })
  labels!: Readonly<Record<string, string>>;

  @Column({ name: 'created_at', type: 'bigint', transformer: DATE })
  createdAt!: Date;

  @Column({ name: 'disabled_at', type: 'bigint', nullable: true, transformer: DATE })
  disabledAt!: Date | null;
}
