import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DATE } from '../../database/columns.js';
import type { LogLevel, LogModule } from '../../common/module-logs.js';

/** The level of a module of the log that an operator has set for a while. */
@Entity('log_levels')
export class LogLevelEntity {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'log_levels_pk' })
  module!: LogModule;

  @Column({ type: 'text' })
  level!: LogLevel;

  @Column({ name: 'ends_at', type: 'bigint', transformer: DATE })
  endsAt!: Date;
}
