import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import { LIMIT_KINDS } from '../../limits/index.js';
import { LIMIT_STATES, type LimitState } from './limit-usage.dto.js';

const OWNERS = ['principal', 'organization'] as const;
export const OWN_KINDS = [...LIMIT_KINDS, 'requestsPerSecond'] as const;
export type OwnKind = (typeof OWN_KINDS)[number];

/** Something that is limited, to whom it may be shown whom it limits. */
export class OwnUsageDto {
  @Shown.Choice(OWNERS, {
    description: 'Whose it is: your own, or shared with all others of your organization.',
  })
  readonly of!: (typeof OWNERS)[number];

  @Shown.Text({ nullable: true, description: 'It counts what this agent is given alone.' })
  readonly agent!: string | null;

  @Shown.Text({ nullable: true, description: 'The same of one skill: `AGENT.SKILL`.' })
  readonly skill!: string | null;

  @Shown.Choice(OWN_KINDS)
  readonly kind!: OwnKind;

  @Shown.Num({ nullable: true, description: 'Null of requests a second.' })
  readonly used!: number | null;

  @Shown.Num({ nullable: true, description: 'Null: there is none.' })
  readonly limit!: number | null;

  @Shown.Text({ nullable: true, description: 'Of a budget.' })
  readonly unit!: string | null;

  @Shown.Choice(LIMIT_STATES, {
    description: '`warned`: from 80 %; `exceeded`: no more is let in.',
  })
  readonly state!: LimitState;

  @Shown.Time({
    nullable: true,
    description:
      'When it begins anew; null for what has no period: it is free again when tasks end, or are deleted.',
  })
  readonly resetsAt!: string | null;

  constructor(usage: OwnUsageDto) {
    fill<OwnUsageDto>(this, usage);
  }
}
