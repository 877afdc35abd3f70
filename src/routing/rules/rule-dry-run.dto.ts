import { Choice, Shown, Text } from '../../common/http/fields.js';
import { NAME } from '../../common/http/text-forms.js';
import { SCOPES, type Scope } from '../../common/scope.js';
import type { RuleOutcome, RuleReport } from './domain/outcomes.js';

const OUTCOMES: readonly RuleOutcome[] = [
  'decides',
  'passed-over',
  'does-not-apply',
  'not-evaluated',
];

/** Whose message is tried; what is absent is the caller's own. */
export class DryRunCallerDto {
  @Text({ optional: true, like: NAME })
  organization?: string;

  @Choice(SCOPES, { optional: true, list: true })
  scopes?: Scope[];
}

export class RuleReportDto implements RuleReport {
  @Shown.Text()
  readonly id!: string;

  @Shown.Text()
  readonly name!: string;

  @Shown.Num({ description: 'From 1.' })
  readonly position!: number;

  @Shown.Choice(OUTCOMES, {
    description:
      '`passed-over`: it applies, but no agent can be used. `not-evaluated`: an earlier rule decided.',
  })
  readonly outcome!: RuleOutcome;

  @Shown.Text()
  readonly why!: string;
}
