import { Choice, Json, Shown, Text } from '../common/http/fields.js';
import { PageQueryDto } from '../common/http/page-query.dto.js';
import { NAME, ORGANIZATION_ID, SENTENCE } from '../common/http/text-forms.js';
import { fill } from '../common/http/view.js';
import {
  ORGANIZATION_STATES,
  type OrganizationRecord,
  type OrganizationState,
} from './organization-store.js';

const LABELS = {
  description: 'Texts of your own by name: at most 32, names of 63 and values of 200 characters.',
  example: { costCenter: '4711' },
};

export class OrganizationQueryDto extends PageQueryDto {
  @Choice(ORGANIZATION_STATES, { optional: true })
  state?: OrganizationState;
}

export class ChangeOrganizationDto {
  @Text({ optional: true, nullable: true, like: NAME, example: 'Acme Corporation' })
  displayName?: string | null;

  @Text({ optional: true, nullable: true, like: SENTENCE })
  description?: string | null;

  @Json({ ...LABELS, optional: true })
  labels?: Readonly<Record<string, string>>;
}

export class CreateOrganizationDto extends ChangeOrganizationDto {
  @Text({
    like: ORGANIZATION_ID,
    example: 'acme',
    description: 'The name by which keys, tokens, agents and policies speak of it.',
  })
  id!: string;
}

export class OrganizationDto {
  @Shown.Text({ example: 'acme' })
  readonly id!: string;

  @Shown.Text({ nullable: true, example: 'Acme Corporation' })
  readonly displayName!: string | null;

  @Shown.Text({ nullable: true })
  readonly description!: string | null;

  @Shown.Json(LABELS)
  readonly labels!: Readonly<Record<string, string>>;

  @Shown.Choice(ORGANIZATION_STATES)
  readonly state!: OrganizationState;

  @Shown.Num({ description: 'Number of its principals.', example: 3 })
  readonly principals!: number;

  @Shown.Time()
  readonly createdAt!: string;

  @Shown.Time({ nullable: true })
  readonly disabledAt!: string | null;

  constructor(record: OrganizationRecord) {
    const state = record.disabledAt === null ? 'enabled' : 'disabled';
    fill<OrganizationDto>(this, { ...record, state });
  }
}
