import { nameOf, PRINCIPAL_NAME } from '../audit/index.js';
import { Choice, Int, Nested, Num, Shown, Text } from '../common/http/fields.js';
import { ID, NAME } from '../common/http/text-forms.js';
import type { FieldViolation } from '../common/hub-error.js';
import { fill } from '../common/http/view.js';
import { RECORD_SOURCES, type RecordSource } from '../common/record-source.js';
import { type Budget, BUDGET_PERIODS } from './domain/limit.js';
import type { ShownLimit } from './limit-subjects.js';
import { MAX_AMOUNT, MILLION } from './domain/price.js';
import { UNIT } from './unit-form.js';

const OR_NULL = 'or-null' as const;
const MOST = Number.MAX_SAFE_INTEGER;
/** Requests a second. */
const MAX_RATE = 1_000_000;

/** What may be spent. */
export class BudgetDto {
  @Text({ like: UNIT, description: 'As the prices name it.' })
  unit!: string;

  @Num({
    min: 1 / MILLION,
    max: MAX_AMOUNT,
    description: 'Counted in millionths of the unit: more decimals are rounded.',
  })
  amount!: number;

  @Choice(BUDGET_PERIODS, { description: 'UTC.' })
  per!: Budget['per'];
}

/** A limit but for its id. */
export class LimitBodyDto {
  @Text({ optional: OR_NULL, like: NAME, description: 'All principals of it together.' })
  organization?: string | null;

  @Text({ optional: OR_NULL, like: NAME, description: "A principal's id." })
  principal?: string | null;

  @Text({
    optional: OR_NULL,
    like: ID,
    description: 'An agent; with organization or principal: what these have at it.',
  })
  agent?: string | null;

  @Text({ optional: OR_NULL, like: NAME, description: 'A skill of an agent: AGENT.SKILL.' })
  skill?: string | null;

  @Int({
    optional: OR_NULL,
    min: 0,
    max: MOST,
    description: 'Tasks that have not ended; of an agent what it was given of them. 0: no limit.',
  })
  openTasks?: number | null;

  @Int({
    optional: OR_NULL,
    min: 0,
    max: MOST,
    description: 'Begun on one day (UTC). 0: no limit.',
  })
  tasksPerDay?: number | null;

  @Int({
    optional: OR_NULL,
    min: 0,
    max: MOST,
    description: 'Begun in one month (UTC). 0: no limit.',
  })
  tasksPerMonth?: number | null;

  @Int({
    optional: OR_NULL,
    min: 0,
    max: MOST,
    description: 'Bytes stored for tasks; of an organization or a principal alone. 0: no limit.',
  })
  storedBytes?: number | null;

  @Int({
    optional: OR_NULL,
    min: 0,
    max: MAX_RATE,
    description:
      'Requests of the A2A API in one second; of an agent or a skill the messages that it gets. 0: no limit.',
  })
  requestsPerSecond?: number | null;

  @Nested(() => BudgetDto, {
    optional: 'or-null',
    description: 'What tasks may cost, by the prices of the configuration (limits.prices).',
  })
  budget?: BudgetDto | null;
}

/** A limit as the configuration declares it. */
export class DeclaredLimitDto extends LimitBodyDto {
  @Text({ like: ID })
  id!: string;
}

/** Something that a limit names and that does not exist. */
export class LimitProblemDto implements FieldViolation {
  @Shown.Text({ example: 'agent' })
  readonly field!: string;

  @Shown.Text({ example: 'is not registered' })
  readonly description!: string;
}

export class LimitDto {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text({ nullable: true })
  readonly organization!: string | null;

  @Shown.Text({ nullable: true })
  readonly principal!: string | null;

  @Shown.Text(PRINCIPAL_NAME)
  readonly principalName!: string | null;

  @Shown.Text({ nullable: true })
  readonly agent!: string | null;

  @Shown.Text({ nullable: true })
  readonly skill!: string | null;

  @Shown.Int({ nullable: true })
  readonly openTasks!: number | null;

  @Shown.Int({ nullable: true })
  readonly tasksPerDay!: number | null;

  @Shown.Int({ nullable: true })
  readonly tasksPerMonth!: number | null;

  @Shown.Int({ nullable: true })
  readonly storedBytes!: number | null;

  @Shown.Int({ nullable: true })
  readonly requestsPerSecond!: number | null;

  @Shown.Nested(() => BudgetDto, { nullable: true })
  readonly budget!: Budget | null;

  @Shown.Choice(RECORD_SOURCES, {
    description: '`config`: declared in YAML, and changed there only.',
  })
  readonly source!: RecordSource;

  @Shown.Time({ nullable: true })
  readonly createdAt!: string | null;

  @Shown.Time({ nullable: true })
  readonly updatedAt!: string | null;

  @Shown.Nested(() => LimitProblemDto, {
    list: true,
    description: 'What it names and does not exist now: it has no effect until that comes.',
  })
  readonly problems!: readonly FieldViolation[];

  constructor(limit: ShownLimit, names: ReadonlyMap<string, string>) {
    const principalName = nameOf(names, limit.principal);
    fill<LimitDto>(this, { principalName, ...limit });
  }
}
