import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { useJsonDraft } from '../../../ui/use-json-draft';
import { LeaveGuard } from '../leave-guard';
import { problemsOf, useSave } from '../use-save';
import { WrittenAs } from '../written-as';
import type { RuleDraft } from './rule-draft';
import { RuleForm } from './rule-form';
import { RuleTrial } from './rule-trial';
import { type Trial, useRuleCheck } from './use-rule-check';

/** Writes a rule as a form or as JSON, checked and tried while one types. */
export function RuleEditor({
  initial,
  action,
  actions,
  onSave,
}: {
  readonly initial: RuleDraft;
  readonly action: string;
  readonly actions?: ReactNode;
  readonly onSave: (draft: RuleDraft) => Promise<unknown>;
}) {
  const navigate = useNavigate();
  const draft = useJsonDraft(initial);
  const [trial, setTrial] = useState<Trial>({ text: '', organization: '' });
  const check = useRuleCheck(draft.value, trial, draft.isTouched || initial.id !== undefined);
  const { busy, error, submit, mayLeave } = useSave(() => onSave(draft.value));
  // What is empty at first is wrong only once one has begun.
  const isShown = draft.isTouched || error !== null;
  const problems = isShown ? problemsOf(check.problems, error) : [];
  return (
    <div className="routing-editor">
      <LeaveGuard isUnsaved={() => draft.isTouched && !mayLeave()} />
      <Card title="Rule" actions={actions}>
        <form className="form" onSubmit={submit} noValidate>
          <WrittenAs
            label="The rule as JSON"
            draft={draft}
            problems={problems}
            form={<RuleForm draft={draft.value} problems={problems} onChange={draft.setValue} />}
          />
          {error !== null && <ErrorView error={error} />}
          <div className="actions">
            <Button type="submit" kind="primary" busy={busy} disabled={draft.fault !== null}>
              {action}
            </Button>
            <Button onClick={() => void navigate({ to: '/routing/rules' })}>Cancel</Button>
          </div>
        </form>
      </Card>
      <RuleTrial check={check} isShown={isShown} trial={trial} onChange={setTrial} />
    </div>
  );
}
