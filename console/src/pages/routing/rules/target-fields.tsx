import type { FieldViolation } from '../../../api/problem';
import { Field, Select, TextArea, violationOf } from '../../../ui/field';
import { NumberInput } from '../../../ui/number-input';
import { StrategyFields } from '../strategy-fields';
import { TargetSuggest } from '../target-suggest';
import {
  kindOfTarget,
  type RuleDraft,
  TARGET_KINDS,
  type TargetKind,
  withKind,
} from './rule-draft';

type Target = NonNullable<RuleDraft['target']>;

/** Where a rule sends the messages it applies to. */
export function TargetFields({
  target,
  problems,
  onChange,
}: {
  readonly target: Target;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (target: Target) => void;
}) {
  const kind = kindOfTarget(target);
  const set = (changed: Target) => onChange({ ...target, ...changed });
  const fault = (field: string) => violationOf(problems, `target.${field}`);
  const whole = problems.find(({ field }) => field === 'target')?.description;
  return (
    <fieldset className="routing-fieldset">
      <legend>Then it goes to</legend>
      <div className="routing-pair">
        <Field label="Whom" error={whole}>
          <Select
            options={TARGET_KINDS}
            value={kind}
            onChange={(event) => onChange(withKind(target, event.target.value as TargetKind)!)}
          />
        </Field>
        {kind !== 'reject' && (
          <TargetSuggest
            kind={kind}
            value={target[kind]}
            error={fault(kind)}
            onChange={(value) => set({ [kind]: value })}
          />
        )}
      </div>
      {kind === 'reject' && (
        <Field
          label="What the client is answered"
          hint="To the letter, with the error NO_ROUTE."
          error={fault('reject')}
        >
          <TextArea
            rows={2}
            value={target.reject ?? ''}
            onChange={(event) => set({ reject: event.target.value })}
          />
        </Field>
      )}
      {kind !== 'reject' && kind !== 'composite' && (
        <StrategyFields
          value={target}
          hasTags={kind === 'tags'}
          field="target"
          problems={problems}
          onChange={(changed) => set(changed)}
        />
      )}
      {kind !== 'reject' && (
        <div className="routing-pair">
          <Field label="Deadline in seconds" error={fault('deadlineSeconds')}>
            <NumberInput
              min={1}
              placeholder="none"
              value={target.deadlineSeconds}
              onChange={(deadlineSeconds) => set({ deadlineSeconds })}
            />
          </Field>
          <Field label="Most messages to agents" error={fault('maxCalls')}>
            <NumberInput
              min={1}
              placeholder="as set for the hub"
              value={target.maxCalls}
              onChange={(maxCalls) => set({ maxCalls })}
            />
          </Field>
        </div>
      )}
    </fieldset>
  );
}
