import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { useJsonDraft } from '../../../ui/use-json-draft';
import { CheckBadge } from '../check-badge';
import { LeaveGuard } from '../leave-guard';
import { problemsOf, useSave } from '../use-save';
import { WrittenAs } from '../written-as';
import type { RuleDraft } from './rule-draft';
import { RuleForm } from './rule-form';
import { RuleTrial } from './rule-trial';
import { useRuleCheck } from './use-rule-check';
import { type TrialMessage, useRuleTrial } from './use-rule-trial';

/** Writes a rule as a form or as JSON; checked and tried while one types. */
export function RuleEditor({
  initial,
  taken,
  replaces,
  action,
  actions,
  onSave,
}: {
  readonly initial: RuleDraft;
  /** What is in the editor at first where that is not what is saved. */
  readonly taken?: RuleDraft | undefined;
  /** The id of the rule that is changed; none: it is a new one. */
  readonly replaces?: string;
  readonly action: string;
  readonly actions?: ReactNode;
  readonly onSave: (draft: RuleDraft) => Promise<unknown>;
}) {
  const navigate = useNavigate();
  const draft = useJsonDraft(initial, taken);
  const [message, setMessage] = useState<TrialMessage>({ text: '', organization: '' });
  const hasBegun = draft.isTouched || replaces !== undefined;
  const check = useRuleCheck(draft.value, replaces, hasBegun);
  const trial = useRuleTrial(draft.value, message, hasBegun);
  const { busy, error, submit, mayLeave } = useSave(() => onSave(draft.value));
  // What is empty at first is wrong only once one has begun.
  const isShown = draft.isTouched || error !== null;
  const problems = isShown ? problemsOf(check.problems, error) : [];
  return (
    <div className="routing-editor">
      <LeaveGuard isUnsaved={() => draft.isTouched && !mayLeave()} />
      <Card
        title="Rule"
        actions={
          <>
            {isShown && <CheckBadge check={check} />}
            {actions}
          </>
        }
      >
        <form className="form" onSubmit={submit} noValidate>
          <WrittenAs
            label="The rule as JSON"
            draft={draft}
            problems={problems}
            form={<RuleForm draft={draft.value} problems={problems} onChange={draft.setValue} />}
          />
          {isShown && check.problem && (
            <p className="routing-note">
              <Badge tone="warning">passed over</Badge> {check.problem}
            </p>
          )}
          {check.error ? <ErrorView error={check.error} /> : null}
          {error !== null && <ErrorView error={error} />}
          <div className="actions">
            <Button type="submit" kind="primary" busy={busy} disabled={draft.fault !== null}>
              {action}
            </Button>
            <Button onClick={() => void navigate({ to: '/routing/rules' })}>Cancel</Button>
          </div>
        </form>
      </Card>
      <RuleTrial
        trial={trial}
        isWrong={problems.length > 0}
        message={message}
        onChange={setMessage}
      />
    </div>
  );
}
