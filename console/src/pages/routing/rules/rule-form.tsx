import type { FieldViolation } from '../../../api/problem';
import { Checkbox, Field, TextInput, violationOf } from '../../../ui/field';
import { NumberInput } from '../../../ui/number-input';
import { ConditionFields } from './condition-fields';
import type { RuleDraft } from './rule-draft';
import { TargetFields } from './target-fields';

export function RuleForm({
  draft,
  problems,
  onChange,
}: {
  readonly draft: RuleDraft;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (draft: RuleDraft) => void;
}) {
  const set = (changed: RuleDraft) => onChange({ ...draft, ...changed });
  return (
    <div className="form">
      <div className="routing-name">
        <Field label="Name" error={violationOf(problems, 'name') ?? violationOf(problems, 'id')}>
          <TextInput
            value={draft.name ?? ''}
            placeholder="Invoices"
            onChange={({ target }) => set({ name: target.value })}
          />
        </Field>
        <Field label="Place" error={violationOf(problems, 'position')}>
          <NumberInput
            min={1}
            placeholder="last"
            value={draft.position}
            onChange={(position) => set({ position })}
          />
        </Field>
      </div>
      <Checkbox
        label="Enabled"
        checked={draft.enabled ?? true}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
      <ConditionFields
        conditions={objectOf(draft.conditions)}
        problems={problems}
        onChange={(conditions) => set({ conditions })}
      />
      <TargetFields
        target={objectOf(draft.target)}
        problems={problems}
        onChange={(target) => set({ target })}
      />
    </div>
  );
}

/** As JSON a member may be anything while it is typed. */
function objectOf<T extends object>(value: T | undefined): T {
  return typeof value === 'object' && value !== null ? value : ({} as T);
}
