import { useMemo, useState } from 'react';
import { Badge } from '../../../ui/badge';
import { Button } from '../../../ui/button';
import { ErrorView } from '../../../ui/feedback';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { Card } from '../../../ui/page';
import { LeaveGuard } from '../../../ui/leave-guard';
import { type Saved, SaveFault, SetAside } from '../../../ui/save-fault';
import { useJsonDraft } from '../../../ui/use-json-draft';
import { problemsOf } from '../../../ui/use-save';
import { type Begun, useVersionedSave } from '../../../ui/use-versioned-save';
import { PlanPicture } from '../picture/plan-picture';
import { stepsOfPlan, stepsOfWritten } from '../picture/plan-steps';
import { CheckBadge } from '../check-badge';
import { WrittenAs } from '../written-as';
import { type CompositeDraft, NEW_COMPOSITE, stepsOf } from './composite-draft';
import { CompositeForm } from './composite-form';
import { type CompositeCheck, useCompositeCheck } from './use-composite-check';

const NO_PROBLEMS: CompositeCheck['problems'] = [];

/** Writes a composite skill as a form or as JSON beside its picture; checked while one types. */
export function CompositeEditor({
  begun,
  taken,
  action,
  onSave,
  onCancel,
}: {
  /** The composite skill that is changed; none: it is a new one. */
  readonly begun?: Begun<CompositeDraft>;
  /** What is in the editor at first where that is not what is saved. */
  readonly taken?: CompositeDraft | undefined;
  readonly action: string;
  readonly onSave: (
    draft: CompositeDraft,
    over: Saved<CompositeDraft> | undefined,
  ) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const isNew = begun === undefined;
  const draft = useJsonDraft(begun?.from.written ?? NEW_COMPOSITE, taken);
  const [organization, setOrganization] = useState('');
  const check = useCompositeCheck(draft.value, organization, !isNew || draft.isTouched);
  const { busy, error, submit, mayLeave, ways, aside } = useVersionedSave(draft, begun, onSave);
  // What is empty at first is wrong only once one has begun.
  const isShown = draft.isTouched || error !== null;
  const problems = isShown ? problemsOf(check.problems, error) : NO_PROBLEMS;
  return (
    <form className="routing-composite-editor" onSubmit={submit} noValidate>
      <LeaveGuard isUnsaved={() => (draft.isTouched || aside !== null) && !mayLeave()} />
      {aside && <SetAside {...aside} />}
      <Card
        title="Picture"
        flush
        actions={
          <>
            {isShown && <CheckBadge check={{ ...check, problems }} />}
            <OrganizationInput
              aria-label="As an organization"
              placeholder="as your organization"
              value={organization}
              onChange={setOrganization}
            />
          </>
        }
      >
        <Preview draft={draft.value} check={check} problems={problems} />
      </Card>
      <Card>
        <WrittenAs
          label="The composite skill as JSON"
          draft={draft}
          problems={problems}
          form={
            <CompositeForm
              draft={draft.value}
              isNew={isNew}
              problems={problems}
              onChange={draft.setValue}
            />
          }
        />
        <div className="routing-save">
          {error !== null && <SaveFault error={error} ways={ways} />}
          <div className="actions">
            <Button type="submit" kind="primary" busy={busy} disabled={draft.fault !== null}>
              {action}
            </Button>
            <Button onClick={onCancel}>Cancel</Button>
          </div>
        </div>
      </Card>
    </form>
  );
}

function Preview({
  draft,
  check,
  problems,
}: {
  readonly draft: CompositeDraft;
  readonly check: CompositeCheck;
  readonly problems: CompositeCheck['problems'];
}) {
  const steps = useMemo(() => {
    const written = stepsOfWritten(stepsOf(draft), problems);
    // With the agents that would do it, where the hub has found some.
    const planned = new Map(stepsOfPlan(check.plan).map((step) => [step.name, step]));
    return written.map((step) => {
      const { target, how } = planned.get(step.name) ?? step;
      return { ...step, target, how };
    });
  }, [draft, check.plan, problems]);
  return (
    <>
      <PlanPicture label="The steps" steps={steps} />
      {check.refusal && (
        <p className="routing-note">
          <Badge tone="warning">not usable now</Badge> {check.refusal}
        </p>
      )}
      {check.error ? <ErrorView error={check.error} /> : null}
    </>
  );
}
