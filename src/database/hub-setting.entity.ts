import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Small values the hub makes once and keeps. */
@Entity('hub_settings')
export class HubSettingEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'hub_settings_pk' })
  key!: string;

  @Column({ type: 'text' })
  value!: string;
}
