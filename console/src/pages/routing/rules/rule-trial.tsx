import { useMay } from '../../../api/me';
import { ErrorView } from '../../../ui/feedback';
import { Field, TextArea } from '../../../ui/field';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { Card } from '../../../ui/page';
import { OutcomeBadge } from '../dry-run/rule-reports';
import { RouteSummary } from '../dry-run/route-summary';
import { hasText, type Trial, type TrialMessage } from './use-rule-trial';

/** Tries an unsaved rule with a message. */
export function RuleTrial({
  trial,
  isWrong,
  message,
  onChange,
}: {
  readonly trial: Trial;
  /** Whether the rule could not be saved. */
  readonly isWrong: boolean;
  readonly message: TrialMessage;
  readonly onChange: (message: TrialMessage) => void;
}) {
  if (!useMay('a2a')) return null;
  const { answer, report, isPending, error } = trial;
  return (
    <Card title="Try it">
      <div className="form">
        <Field label="A message" hint="Nothing is sent, and nothing saved.">
          <TextArea
            rows={3}
            placeholder="Where is my refund?"
            value={message.text}
            onChange={({ target }) => onChange({ ...message, text: target.value })}
          />
        </Field>
        <Field label="From the organization">
          <OrganizationInput
            placeholder="your own"
            value={message.organization}
            onChange={(organization) => onChange({ ...message, organization })}
          />
        </Field>
        {error ? <ErrorView error={error} /> : null}
        <div className="routing-trial" aria-live="polite" aria-busy={isPending}>
          {isWrong && <p className="faint">Once the rule is right, this shows what it does.</p>}
          {!isWrong && !hasText(message) && (
            <p className="faint">Type a message to see what the rule does with it.</p>
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
