import type { FieldViolation } from '../../api/problem';
import { Field, Select, violationOf } from '../../ui/field';
import { NumberInput } from '../../ui/number-input';

/** How the agents of a target are asked. */
export interface HowAsked {
  readonly match?: 'all' | 'any' | undefined;
  readonly strategy?: 'one' | 'all' | 'first' | undefined;
  readonly require?: 'all' | 'any' | 'quorum' | 'best-effort' | undefined;
  readonly quorum?: number | undefined;
  readonly maxAgents?: number | undefined;
}

const STRATEGIES = [
  { value: 'one', label: 'One; others take over' },
  { value: 'all', label: 'All at once' },
  { value: 'first', label: 'All; the first wins' },
];
const REQUIREMENTS = [
  { value: 'all', label: 'All of them' },
  { value: 'any', label: 'One of them' },
  { value: 'quorum', label: 'So many: a quorum' },
  { value: 'best-effort', label: 'As many as can' },
];
const MATCHES = [
  { value: 'all', label: 'All of the tags' },
  { value: 'any', label: 'Any of the tags' },
];

export function StrategyFields({
  value,
  hasTags,
  field,
  problems,
  onChange,
}: {
  readonly value: HowAsked;
  readonly hasTags: boolean;
  /** Where it stands, such as `target`. */
  readonly field: string;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (changed: HowAsked) => void;
}) {
  const { match = 'all', strategy = 'one', require = 'all', quorum, maxAgents } = value;
  const fault = (name: string) => violationOf(problems, `${field}.${name}`);
  const choose = (next: HowAsked['strategy']) =>
    onChange({
      strategy: next === 'one' ? undefined : next,
      ...(next !== 'all' && { require: undefined, quorum: undefined }),
      ...(next === 'one' && { maxAgents: undefined }),
    });
  return (
    <div className="routing-pair">
      {hasTags && (
        <Field label="Their skill carries" error={fault('match')}>
          <Select
            options={MATCHES}
            value={match}
            onChange={({ target }) =>
              onChange({ match: target.value === 'any' ? 'any' : undefined })
            }
          />
        </Field>
      )}
      <Field label="Who is asked" error={fault('strategy')}>
        <Select
          options={STRATEGIES}
          value={strategy}
          onChange={({ target }) => choose(target.value as HowAsked['strategy'])}
        />
      </Field>
      {strategy === 'all' && (
        <Field label="Who must complete" error={fault('require')}>
          <Select
            options={REQUIREMENTS}
            value={require}
            onChange={({ target }) =>
              onChange({
                require: target.value === 'all' ? undefined : (target.value as HowAsked['require']),
                quorum: target.value === 'quorum' ? (quorum ?? 2) : undefined,
              })
            }
          />
        </Field>
      )}
      {require === 'quorum' && (
        <Field label="Quorum" error={fault('quorum')}>
          <NumberInput value={quorum} min={1} onChange={(next) => onChange({ quorum: next })} />
        </Field>
      )}
      {strategy !== 'one' && (
        <Field label="Most agents at once" error={fault('maxAgents')}>
          <NumberInput
            value={maxAgents}
            min={1}
            placeholder="10"
            onChange={(next) => onChange({ maxAgents: next })}
          />
        </Field>
      )}
    </div>
  );
}
