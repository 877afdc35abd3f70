import type { FieldViolation } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Checkbox, Field, Select, TextInput, violationOf } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { ListInput } from '../../../ui/list-input';
import { NumberInput } from '../../../ui/number-input';
import { StrategyFields } from '../strategy-fields';
import { TargetSuggest } from '../target-suggest';
import type { StepDraft } from './composite-draft';
import { StepConditions } from './step-conditions';

const KINDS = [
  { value: 'agentId', label: 'An agent' },
  { value: 'skillId', label: 'A skill' },
  { value: 'tags', label: 'Agents with tags' },
] as const;

type Kind = (typeof KINDS)[number]['value'];

const RESULTS = [
  { value: '', label: 'if no other step takes it' },
  { value: 'true', label: 'is the result' },
  { value: 'false', label: 'is not the result' },
];

export function StepFields({
  step,
  index,
  steps,
  problems,
  onChange,
  onRemove,
}: {
  readonly step: StepDraft;
  readonly index: number;
  readonly steps: readonly StepDraft[];
  readonly problems: readonly FieldViolation[];
  readonly onChange: (step: StepDraft) => void;
  readonly onRemove: () => void;
}) {
  const place = `steps[${index}]`;
  const kind = KINDS.find(({ value }) => step[value] !== undefined)?.value ?? 'agentId';
  const set = (changed: StepDraft) => onChange({ ...step, ...changed });
  const fault = (field: string) => violationOf(problems, `${place}.${field}`);
  const others = steps.flatMap(({ name }) => (name && name !== step.name ? [name] : []));
  const own = problems.filter(({ field }) => field === place);
  const inputFaults = problems
    .filter(({ field }) => field.startsWith(`${place}.inputs`))
    .map(({ description }) => description)
    .join(' ');
  return (
    <fieldset className="routing-step">
      <legend className="visually-hidden">Step {step.name || index + 1}</legend>
      <header>
        <span className="routing-rule-number">{index + 1}</span>
        <strong>{step.name || 'without a name'}</strong>
        <Button
          small
          kind="quiet"
          aria-label={`Remove step ${step.name || index + 1}`}
          icon={<Icon name="close" />}
          onClick={onRemove}
        />
      </header>
      {own.map(({ description }) => (
        <p key={description} className="field-error" role="alert">
          {description}
        </p>
      ))}
      <div className="routing-pair">
        <Field label="Name" error={fault('name')}>
          <TextInput
            value={step.name ?? ''}
            onChange={({ target }) => set({ name: target.value })}
          />
        </Field>
        <Field label="Who does it">
          <Select
            options={KINDS}
            value={kind}
            onChange={({ target }) => onChange(withKind(step, target.value as Kind))}
          />
        </Field>
        <TargetSuggest
          kind={kind}
          value={step[kind]}
          error={fault(kind)}
          onChange={(value) => set({ [kind]: value })}
        />
        <Field
          label="Takes, in this order"
          hint="“message” and names of steps."
          error={inputFaults || undefined}
        >
          <ListInput
            placeholder={index === 0 ? 'message' : `${steps[index - 1]?.name ?? ''}, message`}
            suggestions={['message', ...others]}
            values={step.inputs ?? []}
            onChange={(inputs) => set({ inputs: inputs.length === 0 ? undefined : inputs })}
          />
        </Field>
      </div>
      <StrategyFields
        value={step}
        hasTags={kind === 'tags'}
        field={place}
        problems={problems}
        onChange={(changed) => set(changed)}
      />
      <StepConditions
        after={step.after}
        others={others}
        field={place}
        problems={problems}
        onChange={(after) => set({ after })}
      />
      <div className="routing-pair">
        <Field label="What it makes" error={fault('result')}>
          <Select
            options={RESULTS}
            value={step.result === undefined ? '' : String(step.result)}
            onChange={({ target }) =>
              set({ result: target.value === '' ? undefined : target.value === 'true' })
            }
          />
        </Field>
        <Field label="Deadline of the step in seconds" error={fault('deadlineSeconds')}>
          <NumberInput
            min={1}
            placeholder="none"
            value={step.deadlineSeconds}
            onChange={(deadlineSeconds) => set({ deadlineSeconds })}
          />
        </Field>
        <Checkbox
          label="Optional: the task may complete without it"
          checked={step.optional ?? false}
          onChange={({ target }) => set({ optional: target.checked || undefined })}
        />
      </div>
    </fieldset>
  );
}

function withKind(step: StepDraft, kind: Kind): StepDraft {
  return {
    ...step,
    agentId: undefined,
    skillId: undefined,
    tags: undefined,
    match: kind === 'tags' ? step.match : undefined,
    [kind]: kind === 'tags' ? [] : '',
  };
}
