import type { Schema } from '../../../api/client';
import { type FieldViolation } from '../../../api/problem';
import { Button } from '../../../ui/button';
import { Field, Select, TextInput, violationOf } from '../../../ui/field';
import { Icon } from '../../../ui/icons';
import { ListInput } from '../../../ui/list-input';

type Test = Schema<'PolicyTestDto'>;

/** Questions with their answers, by which a policy is saved. Members that are not shown here stay. */
export function PolicyTests({
  tests,
  onChange,
  violations,
}: {
  readonly tests: readonly Test[];
  readonly onChange: (tests: readonly Test[]) => void;
  readonly violations: readonly FieldViolation[];
}) {
  const set = (index: number, change: Partial<Test>) =>
    onChange(tests.map((test, at) => (at === index ? cleaned({ ...test, ...change }) : test)));
  return (
    <fieldset className="access-scopes">
      <legend>Tests</legend>
      <p className="faint">
        It is saved only if all policies together answer so, also when another one is changed later.
      </p>
      {tests.map((test, index) => (
        <div key={index} className="access-test">
          <div className="access-pair">
            <Field
              label={`Name of test ${index + 1}`}
              error={violationOf(violations, `tests[${index}]`)}
            >
              <TextInput
                value={test.name}
                onChange={(event) => set(index, { name: event.target.value })}
              />
            </Field>
            <Field label="Caller is in the groups">
              <ListInput
                values={test.caller?.groups ?? []}
                onChange={(groups) => set(index, { caller: cleaned({ ...test.caller, groups }) })}
              />
            </Field>
            <Field label="Agent">
              <TextInput
                value={test.agentId ?? ''}
                onChange={(event) => set(index, { agentId: event.target.value })}
              />
            </Field>
            <Field label="Skill">
              <TextInput
                value={test.skillId ?? ''}
                onChange={(event) => set(index, { skillId: event.target.value })}
              />
            </Field>
            <Field label="Tags of the skill">
              <ListInput values={test.tags ?? []} onChange={(tags) => set(index, { tags })} />
            </Field>
            <Field label="Must be">
              <Select
                value={test.expect}
                onChange={(event) => set(index, { expect: event.target.value as Test['expect'] })}
                options={[
                  { value: 'deny', label: 'Denied' },
                  { value: 'allow', label: 'Allowed' },
                ]}
              />
            </Field>
          </div>
          <Button
            small
            aria-label={`Remove test ${index + 1}`}
            onClick={() => onChange(tests.filter((_, at) => at !== index))}
          >
            Remove
          </Button>
        </div>
      ))}
      <p>
        <Button
          small
          icon={<Icon name="plus" />}
          onClick={() => onChange([...tests, { name: '', expect: 'deny' } as Test])}
        >
          Add a test
        </Button>
      </p>
    </fieldset>
  );
}

/** Without members that are empty. */
function cleaned<T extends object>(value: T): T {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, each]) =>
        name === 'name' ||
        (each !== undefined && each !== '' && !(Array.isArray(each) && each.length === 0)),
    ),
  ) as T;
}
