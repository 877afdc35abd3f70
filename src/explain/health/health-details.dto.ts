import { Shown } from '../../common/http/fields.js';
import { fill } from '../../common/http/view.js';
import {
  HEALTH_CHECK_STATES,
  HEALTH_CHECKS,
  type HealthCheckName,
  type HealthCheckState,
  type HealthTrouble,
  worstOf,
} from './health-check.js';
import type { NamedFinding } from './health-details.js';

export class HealthTroubleDto implements HealthTrouble {
  @Shown.Text({ example: 'translator' })
  readonly id!: string;

  @Shown.Text({ example: 'It is down: no connection to https://translator.example.' })
  readonly why!: string;
}

export class HealthCheckDto {
  @Shown.Choice(HEALTH_CHECKS)
  readonly name!: HealthCheckName;

  @Shown.Choice(HEALTH_CHECK_STATES, {
    description: 'warning: some of it is in trouble; failing: it serves none of its purpose now.',
  })
  readonly state!: HealthCheckState;

  @Shown.Text({ example: 'SQLite answers in 1 ms, and its tables are of this version.' })
  readonly summary!: string;

  @Shown.Text({ nullable: true, description: 'What to do; null: nothing.' })
  readonly advice!: string | null;

  @Shown.Nested(() => HealthTroubleDto, {
    list: true,
    description: 'What is in trouble; 20 at most.',
  })
  readonly troubles!: readonly HealthTrouble[];

  constructor(finding: NamedFinding) {
    fill<HealthCheckDto>(this, finding);
  }
}

export class HealthDetailsDto {
  @Shown.Choice(HEALTH_CHECK_STATES, { description: 'The worst of the checks.' })
  readonly status: HealthCheckState;

  @Shown.Nested(() => HealthCheckDto, { list: true })
  readonly checks: readonly HealthCheckDto[];

  constructor(findings: readonly NamedFinding[]) {
    this.status = worstOf(findings.map(({ state }) => state));
    this.checks = findings.map((each) => new HealthCheckDto(each));
  }
}
