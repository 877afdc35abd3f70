import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { TEXT } from '../../database/columns.js';
import type { ActivityKind } from '../activity/activity.js';
import type { ActivitySpan } from '../activity/activity-store.js';

const PRIMARY = { primaryKeyConstraintName: 'activity_pk' } as const;

/** How often something happened in a minute or a quarter of an hour, in all processes. */
@Entity('activity', { withoutRowid: true })
@Index('activity_at_idx', ['span', 'at'])
export class ActivityEntity {
  /** Minutes. */
  @PrimaryColumn({ type: 'smallint', ...PRIMARY })
  span!: ActivitySpan;

  @PrimaryColumn({ type: 'text', ...PRIMARY })
  kind!: ActivityKind;

  /** Empty: of all. */
  @PrimaryColumn({ type: 'text', transformer: TEXT, ...PRIMARY })
  organization!: string;

  /** Empty: of all. */
  @PrimaryColumn({ name: 'agent_id', type: 'text', ...PRIMARY })
  agentId!: string;

  /** When the span began. */
  @PrimaryColumn({ type: 'bigint', ...PRIMARY })
  at!: number;

  @PrimaryColumn({ type: 'text', ...PRIMARY })
  name!: string;

  @Column({ type: 'bigint' })
  count!: number;

  @Column({ name: 'total_ms', type: 'bigint' })
  totalMs!: number;
}
