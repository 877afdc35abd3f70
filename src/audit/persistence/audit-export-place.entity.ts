import { Entity, Column, PrimaryColumn } from 'typeorm';

/** The table `audit_export_places`: up to which entry of a chain an export has come. */
@Entity('audit_export_places')
export class AuditExportPlaceEntity {
  @PrimaryColumn({
    name: 'export_id',
    type: 'text',
    primaryKeyConstraintName: 'audit_export_places_pk',
  })
  exportId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'audit_export_places_pk' })
  chain!: string;

  @Column({ type: 'bigint' })
  seq!: number;
}
