import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { Card } from '../../../ui/page';
import { LeaveGuard } from '../../../ui/leave-guard';
import { type Saved, SaveFault, SetAside } from '../../../ui/save-fault';
import { useJsonDraft } from '../../../ui/use-json-draft';
import { problemsOf } from '../../../ui/use-save';
import { type Begun, useVersionedSave } from '../../../ui/use-versioned-save';
import { CheckBadge } from '../check-badge';
import { WrittenAs } from '../written-as';
import { NEW_RULE, type RuleDraft } from './rule-draft';
import { RuleForm } from './rule-form';
import { RuleTrial } from './rule-trial';
import { useRuleCheck } from './use-rule-check';
import { type TrialMessage, useRuleTrial } from './use-rule-trial';

/** Writes a rule as a form or as JSON; checked and tried while one types. */
export function RuleEditor({
  begun,
  taken,
  replaces,
  action,
  actions,
  onSave,
}: {
  /** The rule that is changed; none: it is a new one. */
  readonly begun?: Begun<RuleDraft>;
  /** What is in the editor at first where that is not what is saved. */
  readonly taken?: RuleDraft | undefined;
  /** The id of the rule that is changed; none: it is a new one. */
  readonly replaces?: string;
  readonly action: string;
  readonly actions?: ReactNode;
  readonly onSave: (
    draft: RuleDraft,
    over: Saved<RuleDraft> | undefined,
    writtenFrom: Saved<RuleDraft> | undefined,
  ) => Promise<unknown>;
}) {
  const navigate = useNavigate();
  const draft = useJsonDraft(begun?.from.written ?? NEW_RULE, taken);
  const [message, setMessage] = useState<TrialMessage>({ text: '', organization: '' });
  const hasBegun = draft.isTouched || replaces !== undefined;
  const check = useRuleCheck(draft.value, replaces, hasBegun);
  const trial = useRuleTrial(draft.value, message, hasBegun);
  const { busy, error, submit, mayLeave, ways, aside } = useVersionedSave(draft, begun, onSave);
  // What is empty at first is wrong only once one has begun.
  const isShown = draft.isTouched || error !== null;
  const problems = isShown ? problemsOf(check.problems, error) : [];
  return (
    <div className="routing-editor">
      <LeaveGuard isUnsaved={() => (draft.isTouched || aside !== null) && !mayLeave()} />
      <Card
        title="Rule"
        actions={
          <>
            {isShown && <CheckBadge check={{ ...check, problems }} />}
            {actions}
          </>
        }
      >
        <form className="form" onSubmit={submit} noValidate>
          {aside && <SetAside {...aside} />}
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
          {error !== null && <SaveFault error={error} ways={ways} />}
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
