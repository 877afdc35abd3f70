import { Choice, Shown, Text } from '../../common/http/fields.js';
import { NAME } from '../../common/http/text-forms.js';
import { SCOPES, type Scope } from '../../common/scope.js';
import { RULE_OUTCOMES, type RuleOutcome, type RuleReport } from './domain/outcomes.js';

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

  @Shown.Choice(RULE_OUTCOMES, {
    description:
      '`passed-over`: it applies, but no agent can be used. `not-evaluated`: an earlier rule decided.',
  })
  readonly outcome!: RuleOutcome;

  @Shown.Text()
  readonly why!: string;
}
