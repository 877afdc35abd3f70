import type { FieldViolation } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Checkbox, Field, TextArea, TextInput, violationOf } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { ListInput } from '../../../ui/list-input';
import { useMissingOrganizations, useOrganizations } from '../../../ui/organization-names';
import { NumberInput } from '../../../ui/number-input';
import { type CompositeDraft, type StepDraft, stepsOf } from './composite-draft';
import { StepFields } from './step-fields';

export function CompositeForm({
  draft,
  isNew,
  problems,
  onChange,
}: {
  readonly draft: CompositeDraft;
  readonly isNew: boolean;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (draft: CompositeDraft) => void;
}) {
  const set = (changed: CompositeDraft) => onChange({ ...draft, ...changed });
  const fault = (field: string) => violationOf(problems, field);
  const steps = stepsOf(draft);
  const setSteps = (next: readonly StepDraft[]) => set({ steps: next });
  const organizations = useOrganizations();
  const missing = useMissingOrganizations(draft.organizations ?? []);
  const whole = problems.filter(({ field }) => field === 'steps');
  return (
    <div className="form">
      <div className="routing-pair">
        <Field label="Name" error={fault('name')}>
          <TextInput
            placeholder="Contract review"
            value={draft.name ?? ''}
            onChange={({ target }) => set({ name: target.value })}
          />
        </Field>
        {isNew && (
          <Field
            label="Id"
            hint={`Clients ask for composite.${draft.id || '…'}`}
            error={fault('id')}
          >
            <TextInput
              placeholder="contract-review"
              value={draft.id ?? ''}
              onChange={({ target }) => set({ id: target.value })}
            />
          </Field>
        )}
      </div>
      <Field
        label="Description"
        hint="In the hub’s card. Messages that name nobody are matched with its words."
        error={fault('description')}
      >
        <TextArea
          rows={2}
          value={draft.description ?? ''}
          onChange={({ target }) => set({ description: target.value })}
        />
      </Field>
      <div className="routing-pair">
        <Field label="Tags" error={fault('tags')}>
          <ListInput
            placeholder="contracts, legal"
            values={draft.tags ?? []}
            onChange={(tags) => set({ tags })}
          />
        </Field>
        <Field label="Only for the organizations" warning={missing} error={fault('organizations')}>
          <ListInput
            placeholder="everybody"
            suggestions={organizations}
            values={draft.organizations ?? []}
            onChange={(values) => set({ organizations: values.length === 0 ? null : values })}
          />
        </Field>
        <Field label="Deadline in seconds" error={fault('deadlineSeconds')}>
          <NumberInput
            min={1}
            placeholder="none"
            value={draft.deadlineSeconds}
            onChange={(seconds) => set({ deadlineSeconds: seconds ?? null })}
          />
        </Field>
        <Field label="Most messages to agents" error={fault('maxCalls')}>
          <NumberInput
            min={1}
            placeholder="as set for the hub"
            value={draft.maxCalls}
            onChange={(calls) => set({ maxCalls: calls ?? null })}
          />
        </Field>
      </div>
      <Field label="Example messages, one a line" error={fault('examples')}>
        <TextArea
          rows={2}
          value={(draft.examples ?? []).join('\n')}
          onChange={({ target }) =>
            set({ examples: target.value === '' ? [] : target.value.split('\n') })
          }
        />
      </Field>
      <Checkbox
        label="Enabled"
        checked={draft.enabled ?? true}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
      <h3>Steps</h3>
      {whole.map(({ description }) => (
        <p key={description} className="field-error" role="alert">
          {description}
        </p>
      ))}
      <ol className="routing-steps">
        {steps.map((step, index) => (
          <li key={index}>
            <StepFields
              step={step}
              index={index}
              steps={steps}
              problems={problems}
              onChange={(next) => setSteps(steps.map((each, at) => (at === index ? next : each)))}
              onRemove={() => setSteps(steps.filter((_, at) => at !== index))}
            />
          </li>
        ))}
      </ol>
      <div>
        <Button
          icon={<Icon name="plus" />}
          onClick={() => setSteps([...steps, { name: nextName(steps), agentId: '' }])}
        >
          Add a step
        </Button>
      </div>
    </div>
  );
}

function nextName(steps: readonly StepDraft[]): string {
  const names = new Set(steps.map(({ name }) => name));
  let number = steps.length + 1;
  while (names.has(`step-${number}`)) number += 1;
  return `step-${number}`;
}
