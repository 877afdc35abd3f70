import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The table `request_rates`: how many points of a rate were taken in the newest second, and ahead in the next. */
@Entity('request_rates', { withoutRowid: true })
export class RequestRateEntity {
  /** A digest of whose it is: it names nobody. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'request_rates_pk' })
  key!: string;

  @Column({ type: 'bigint' })
  second!: number;

  @Column({ type: 'bigint' })
  taken!: number;

  @Column({ type: 'bigint' })
  ahead!: number;
}
