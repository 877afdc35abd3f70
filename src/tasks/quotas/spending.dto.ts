import { nameOf, PRINCIPAL_NAME } from '../../audit/index.js';
import { Choice, Shown, Text } from '../../common/http/fields.js';
import { PageQueryDto } from '../../common/http/page-query.dto.js';
import { ID, NAME } from '../../common/http/text-forms.js';
import { MILLION, type SpendingGroup, type SpendingSum } from '../../limits/index.js';

const MONTH = {
  pattern: /^[0-9]{4}-(0[1-9]|1[0-2])$/,
  rule: 'must be a month as YYYY-MM',
};

/** Whose spending, of which months, and what it is added up by. */
export class SpendingQueryDto extends PageQueryDto {
  @Text({
    optional: true,
    max: 8000,
    description: 'The `nextCursor` of the previous page of the same query.',
  })
  declare cursor?: string;

  @Choice(['organization', 'principal', 'agent', 'skill'], {
    optional: true,
    default: 'organization',
    description: 'What it is added up by, beside month and unit.',
  })
  by: Exclude<SpendingGroup, 'month'> = 'organization';

  @Text({ optional: true, like: NAME })
  organization?: string;

  @Text({ optional: true, like: NAME, description: "A principal's id." })
  principal?: string;

  @Text({ optional: true, like: ID })
  agent?: string;

  @Text({ optional: true, like: MONTH, description: 'The first month (UTC), YYYY-MM.' })
  from?: string;

  @Text({ optional: true, like: MONTH, description: 'The last month (UTC), YYYY-MM.' })
  to?: string;
}

/** What was spent of one unit in one month. */
export class SpendingDto {
  @Shown.Text({ description: 'UTC, YYYY-MM.' })
  readonly month: string;

  @Shown.Text({ nullable: true })
  readonly organization: string | null;

  @Shown.Text({ nullable: true })
  readonly principal: string | null;

  @Shown.Text(PRINCIPAL_NAME)
  readonly principalName: string | null;

  @Shown.Text({ nullable: true })
  readonly agent: string | null;

  @Shown.Text({ nullable: true, description: 'AGENT.SKILL; null also of work without a skill.' })
  readonly skill: string | null;

  @Shown.Text()
  readonly unit: string;

  @Shown.Num()
  readonly amount: number;

  @Shown.Int({ description: 'Pieces of work that had a price: one for each agent of a task.' })
  readonly tasks: number;

  constructor(
    { month, organization, principal, agent, skill, unit, amount, tasks }: SpendingSum,
    names: ReadonlyMap<string, string>,
  ) {
    this.month = textOf(month ?? 0);
    this.organization = organization;
    this.principal = principal;
    this.principalName = nameOf(names, principal);
    this.agent = agent;
    this.skill = skill;
    this.unit = unit;
    this.amount = amount / MILLION;
    this.tasks = tasks;
  }
}

/** The number of a month that is written YYYY-MM. */
export function monthNumber(text: string): number {
  const [year, month] = text.split('-').map(Number);
  return year! * 12 + month! - 1;
}

function textOf(month: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0');
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}`;
}
