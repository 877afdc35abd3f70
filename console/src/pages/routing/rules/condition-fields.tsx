import type { FieldViolation } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Checkbox, Field, Select, TextInput, violationOf } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { ListInput } from '../../../ui/list-input';
import { useMissingOrganizations, useOrganizations } from '../../../ui/organization-names';
import { type RuleDraft, scalarOf, typedOf } from './rule-draft';

type Conditions = NonNullable<RuleDraft['conditions']>;

const SCOPES = [
  'a2a',
  'tasks:organization',
  'tasks:all',
  'push',
  'push:all',
  'agents:organization',
  'agents',
  'routing',
  'access:organization',
  'access',
  'audit',
  'data',
  'admin',
];
const TYPES = [
  'text/plain',
  'text/csv',
  'application/json',
  'application/pdf',
  'image/*',
  'audio/*',
];
const MATCHES = [
  { value: 'any', label: 'any of them' },
  { value: 'all', label: 'all of them' },
];

/** What a message must be for a rule to apply. What is left empty does not matter. */
export function ConditionFields({
  conditions,
  problems,
  onChange,
}: {
  readonly conditions: Conditions;
  readonly problems: readonly FieldViolation[];
  readonly onChange: (conditions: Conditions) => void;
}) {
  const known = useOrganizations();
  const { organizations, scopes, inputTypes, tags, tagMatch, text, metadata } = conditions;
  const missing = useMissingOrganizations(organizations ?? []);
  const set = (changed: Conditions) => onChange({ ...conditions, ...changed });
  const fault = (field: string) => violationOf(problems, `conditions.${field}`);
  return (
    <fieldset className="routing-fieldset">
      <legend>Applies when all of this holds</legend>
      <Field
        label="The text has"
        hint="A regular expression (RE2), found anywhere in the text of the message."
        error={fault('text')}
      >
        <TextInput
          className="mono"
          placeholder="\b(invoice|refund)s?\b"
          value={text?.pattern ?? ''}
          onChange={({ target }) =>
            set({
              text: target.value
                ? { ignoreCase: text?.ignoreCase ?? true, pattern: target.value }
                : undefined,
            })
          }
        />
      </Field>
      {text && (
        <Checkbox
          label="In any case: “Refund” as well as “refund”"
          checked={text.ignoreCase}
          onChange={({ target }) => set({ text: { ...text, ignoreCase: target.checked } })}
        />
      )}
      <div className="routing-pair">
        <Field label="Organization is one of" warning={missing} error={fault('organizations')}>
          <ListInput
            placeholder="any"
            suggestions={known}
            values={organizations ?? []}
            onChange={(values) => set({ organizations: orNone(values) })}
          />
        </Field>
        <Field label="Caller holds one of the scopes" error={fault('scopes')}>
          <ListInput
            placeholder="any"
            suggestions={SCOPES}
            values={scopes ?? []}
            onChange={(values) => set({ scopes: orNone(values) as Conditions['scopes'] })}
          />
        </Field>
        <Field label="Some part is of the media type" error={fault('inputTypes')}>
          <ListInput
            placeholder="any"
            suggestions={TYPES}
            values={inputTypes ?? []}
            onChange={(values) => set({ inputTypes: orNone(values) })}
          />
        </Field>
        <Field
          label="It asks for tags"
          hint="Tags that no skill carries: those of a skill lead to it, and no rule is asked."
          error={fault('tags') ?? fault('tagMatch')}
        >
          <ListInput
            placeholder="any"
            values={tags ?? []}
            onChange={(values) =>
              set({ tags: orNone(values), tagMatch: values.length ? tagMatch : undefined })
            }
          />
        </Field>
      </div>
      {tags && tags.length > 1 && (
        <Field label="How many of the tags">
          <Select
            options={MATCHES}
            value={tagMatch ?? 'any'}
            onChange={({ target }) => set({ tagMatch: target.value as 'any' | 'all' })}
          />
        </Field>
      )}
      <Metadata
        metadata={metadata}
        fault={fault('metadata')}
        onChange={(next) => set({ metadata: next })}
      />
    </fieldset>
  );
}

type Metadata = NonNullable<Conditions['metadata']>;

function Metadata({
  metadata = {},
  fault,
  onChange,
}: {
  readonly metadata?: Metadata | undefined;
  readonly fault: string | undefined;
  readonly onChange: (metadata: Metadata | undefined) => void;
}) {
  const entries = Object.entries(metadata);
  const set = (next: readonly (readonly [string, Metadata[string]])[]) =>
    onChange(next.length === 0 ? undefined : Object.fromEntries(next));
  return (
    <div className="routing-metadata" role="group" aria-label="Metadata">
      {entries.map(([path, wanted], index) => {
        const put = (entry: readonly [string, Metadata[string]]) =>
          set(entries.map((each, at) => (at === index ? entry : each)));
        return (
          <div key={index} className="routing-metadata-row">
            <TextInput
              aria-label={`Path ${index + 1} of the metadata`}
              placeholder="customer.tier"
              value={path}
              onChange={({ target }) => put([target.value, wanted])}
            />
            <span className="faint">is</span>
            <ListInput
              aria-label={`Values of ${path}`}
              placeholder="gold, platinum"
              values={[wanted].flat().map(typedOf)}
              onChange={(values) =>
                put([path, values.length === 1 ? scalarOf(values[0]!) : values.map(scalarOf)])
              }
            />
            <Button
              small
              kind="quiet"
              aria-label={`Leave out ${path}`}
              icon={<Icon name="close" />}
              onClick={() => set(entries.filter((_, at) => at !== index))}
            />
          </div>
        );
      })}
      {fault && <p className="field-error">{fault}</p>}
      <Button
        small
        icon={<Icon name="plus" />}
        disabled={'' in metadata}
        onClick={() => set([...entries, ['', '']])}
      >
        Metadata
      </Button>
    </div>
  );
}

function orNone(values: string[]): string[] | undefined {
  return values.length === 0 ? undefined : values;
}
