import type { FieldViolation } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Select, violationOf } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import type { StepDraft } from './composite-draft';

type After = NonNullable<StepDraft['after']>;
type Outcome = After[number]['outcome'];

const OUTCOMES = [
  { value: 'completed', label: 'has completed' },
  { value: 'failed', label: 'has failed' },
  { value: 'ended', label: 'has ended either way' },
];

/** When a step begins: once all of these hold. */
export function StepConditions({
  after,
  others,
  field,
  problems,
  onChange,
}: {
  readonly after: After | undefined;
  readonly others: readonly string[];
  readonly field: string;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (after: After | undefined) => void;
}) {
  const conditions = Array.isArray(after) ? after : [];
  const fault = violationOf(problems, `${field}.after`);
  const put = (index: number, changed: Partial<After[number]>) =>
    onChange(conditions.map((each, at) => (at === index ? { ...each, ...changed } : each)));
  const free = others.find((name) => !conditions.some(({ step }) => step === name));
  return (
    <div className="routing-after" role="group" aria-label="Begins when">
      <p className="routing-after-label">
        Begins when{' '}
        {conditions.length === 0 && (
          <span className="faint">every step that it takes something of has completed</span>
        )}
      </p>
      {conditions.map(({ step, outcome = 'completed' }, index) => (
        <div key={index} className="routing-after-row">
          <Select
            aria-label={`Step of condition ${index + 1}`}
            options={[...new Set([step, ...others])].map((name) => ({ value: name, label: name }))}
            value={step}
            onChange={({ target }) => put(index, { step: target.value })}
          />
          <Select
            aria-label={`Outcome of condition ${index + 1}`}
            options={OUTCOMES}
            value={outcome}
            onChange={({ target }) => put(index, { outcome: target.value as Outcome })}
          />
          <Button
            small
            kind="quiet"
            aria-label={`Leave out condition ${index + 1}`}
            icon={<Icon name="close" />}
            onClick={() => {
              const rest = conditions.filter((_, at) => at !== index);
              onChange(rest.length === 0 ? undefined : rest);
            }}
          />
        </div>
      ))}
      {fault && <p className="field-error">{fault}</p>}
      {free !== undefined && (
        <Button
          small
          icon={<Icon name="plus" />}
          onClick={() => onChange([...conditions, { step: free, outcome: 'completed' }])}
        >
          Condition
        </Button>
      )}
    </div>
  );
}
