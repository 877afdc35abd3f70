import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { LIMIT_KINDS, type LimitKind } from '../../limits/index.js';

export const LIMIT_STATES = ['ok', 'warned', 'exceeded'] as const;
export type LimitState = (typeof LIMIT_STATES)[number];

export class UsedDto {
  @Shown.Choice(LIMIT_KINDS)
  readonly kind!: LimitKind;

  @Shown.Num()
  readonly used!: number;

  @Shown.Num()
  readonly limit!: number;

  @Shown.Text({ nullable: true, description: 'Of a budget.' })
  readonly unit!: string | null;

  @Shown.Choice(LIMIT_STATES, {
    description: '`warned`: from 80 %; `exceeded`: no more is let in.',
  })
  readonly state!: LimitState;

  @Shown.Time({ nullable: true, description: 'When it begins anew; null for what has no period.' })
  readonly resetsAt!: string | null;

  constructor(used: {
    readonly kind: LimitKind;
    readonly used: number;
    readonly limit: number;
    readonly unit: string | null;
    readonly state: LimitState;
    readonly resetsAt: string | null;
  }) {
    fill<UsedDto>(this, used);
  }
}

export class LimitUsageDto {
  @Shown.Text({ description: 'The id of the limit.' })
  readonly id!: string;

  @Shown.Text({ nullable: true })
  readonly organization!: string | null;

  @Shown.Text({ nullable: true })
  readonly principal!: string | null;

  @Shown.Text({ nullable: true })
  readonly agent!: string | null;

  @Shown.Text({ nullable: true })
  readonly skill!: string | null;

  @Shown.Nested(() => UsedDto, { list: true })
  readonly usage!: readonly UsedDto[];

  constructor(usage: LimitUsageDto) {
    fill<LimitUsageDto>(this, usage);
  }
}
