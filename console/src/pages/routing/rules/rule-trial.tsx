import { useMay } from '../../../api/me';
import { Badge } from '../../../ui/badge';
import { counted } from '../../../ui/lists';
import { ErrorView } from '../../../ui/feedback';
import { Field, TextArea, TextInput } from '../../../ui/field';
import { Card } from '../../../ui/page';
import { OutcomeBadge } from '../dry-run/rule-reports';
import { RouteSummary } from '../dry-run/route-summary';
import type { RuleCheck, Trial } from './use-rule-check';

/** Tries an unsaved rule with a message. */
export function RuleTrial({
  check,
  isShown,
  trial,
  onChange,
}: {
  readonly check: RuleCheck;
  /** Whether what is wrong is shown yet. */
  readonly isShown: boolean;
  readonly trial: Trial;
  readonly onChange: (trial: Trial) => void;
}) {
  if (!useMay('a2a')) return null;
  const { problems, answer, report, isPending, error } = check;
  return (
    <Card title="Try it" actions={isShown && <CheckBadge check={check} />}>
      <div className="form">
        <Field label="A message" hint="Nothing is sent, and nothing saved.">
          <TextArea
            rows={3}
            placeholder="Where is my refund?"
            value={trial.text}
            onChange={({ target }) => onChange({ ...trial, text: target.value })}
          />
        </Field>
        <Field label="From the organization">
          <TextInput
            placeholder="your own"
            value={trial.organization}
            onChange={({ target }) => onChange({ ...trial, organization: target.value })}
          />
        </Field>
        {error ? <ErrorView error={error} /> : null}
        <div className="routing-trial" aria-live="polite" aria-busy={isPending}>
          {problems.length > 0 && (
            <p className="faint">Once the rule is right, this shows what it does.</p>
          )}
          {report && (
            <p>
              <OutcomeBadge outcome={report.outcome} /> {report.why}
            </p>
          )}
          {answer && <RouteSummary answer={answer} />}
        </div>
      </div>
    </Card>
  );
}

function CheckBadge({ check }: { readonly check: RuleCheck }) {
  const { problems, answer, isPending } = check;
  if (isPending) return <Badge>checking …</Badge>;
  if (problems.length === 0) return answer && <Badge tone="good">can be saved</Badge>;
  return <Badge tone="bad">{counted(problems.length, 'problem')}</Badge>;
}
