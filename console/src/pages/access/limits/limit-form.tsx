import { useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { invalidFields } from '../../../api/problem';
import { AgentInput } from '../../../ui/agent-input';
import { Field, Select, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { numberOf } from '../../../ui/number-text';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';
import { PrincipalInput } from '../shared/principal-inputs';
import { faultsOf } from './limit-faults';
import { unknownSubjects } from './unknown-subjects';

type Limit = Schema<'LimitDto'>;
type LimitBody = Schema<'LimitBodyDto'>;

const COUNTS = [
  ['openTasks', 'Open tasks', 'Tasks that have not ended.'],
  ['tasksPerDay', 'Tasks a day', 'Begun since midnight (UTC).'],
  ['tasksPerMonth', 'Tasks a month', 'Begun since the first of the month (UTC).'],
  ['requestsPerSecond', 'Requests a second', 'Of an agent the messages that it gets.'],
  ['storedBytes', 'Stored bytes', 'Of an organization or a principal alone.'],
] as const;

const SUBJECTS = ['organization', 'principal', 'agent', 'skill'] as const;

/** Sets what an organization, a principal, an agent or a skill may have at most. */
export function LimitForm({
  limit,
  onClose,
}: {
  readonly limit: Limit | null;
  readonly onClose: () => void;
}) {
  const [id, setId] = useState(limit?.id ?? '');
  const [subject, setSubject] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(SUBJECTS.map((name) => [name, textOf(limit, name)])),
  );
  const [counts, setCounts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(COUNTS.map(([name]) => [name, textOf(limit, name)])),
  );
  const [budget, setBudget] = useState(budgetText(limit));
  const of = (name: (typeof SUBJECTS)[number]) => ({
    value: subject[name] ?? '',
    onChange: (value: string) => setSubject({ ...subject, [name]: value }),
  });
  const check = async () => {
    const faults = faultsOf({ id, subject, counts, budget });
    if (faults.length > 0)
      throw invalidFields(faults, 'Something is missing or wrong: see the fields.');
    return unknownSubjects(editedOf(limit, { ...subject, ...counts }, budget));
  };
  const save = async () => {
    const path = { id: id.trim() };
    const edited = editedOf(limit, { ...subject, ...counts }, budget);
    // Of one that is changed the rest is as it is by now, not as it was when one began.
    const rest = limit === null ? {} : writtenOf(await limitOf(path.id));
    await client.PUT('/api/v1/limits/{id}', {
      params: { path, ...(limit === null && { header: { 'If-None-Match': '*' } }) },
      body: { ...rest, ...edited },
    });
    notify(`The limit ${path.id} holds.`);
    await refreshAccess();
  };
  return (
    <FormDialog
      wide
      title={limit === null ? 'New limit' : `Change the limit ${limit.id}`}
      description="Empty members are not limited by it; 0 lifts the setting of the hub. Numbers have no separators."
      action="Save"
      onClose={onClose}
      check={check}
      onSubmit={save}
    >
      {(violations) => (
        <>
          <fieldset className="access-scopes">
            <legend>Whom it is for</legend>
            <div className="access-pair">
              {limit === null && (
                <Field label="Id" error={violationOf(violations, 'id')}>
                  <TextInput required value={id} onChange={(event) => setId(event.target.value)} />
                </Field>
              )}
              <Field
                label="Organization"
                hint="All its principals together."
                error={violationOf(violations, 'organization')}
              >
                <OrganizationInput {...of('organization')} />
              </Field>
              <Field
                label="Principal"
                hint="Or one principal."
                error={violationOf(violations, 'principal')}
              >
                <PrincipalInput {...of('principal')} />
              </Field>
              <Field
                label="Agent"
                hint="By itself, or what those have at it."
                error={violationOf(violations, 'agent')}
              >
                <AgentInput {...of('agent')} />
              </Field>
              <Field label="Skill" hint="AGENT.SKILL" error={violationOf(violations, 'skill')}>
                <TextInput
                  value={subject['skill']}
                  onChange={(event) => of('skill').onChange(event.target.value)}
                />
              </Field>
            </div>
          </fieldset>
          <fieldset className="access-scopes">
            <legend>At most</legend>
            <div className="access-pair">
              {COUNTS.map(([name, label, hint]) => (
                <Field key={name} label={label} hint={hint} error={violationOf(violations, name)}>
                  <TextInput
                    inputMode="numeric"
                    value={counts[name]}
                    onChange={(event) => setCounts({ ...counts, [name]: event.target.value })}
                  />
                </Field>
              ))}
              <Field
                label="Budget"
                hint="By the prices of the configuration."
                error={violationOf(violations, 'budget.amount')}
              >
                <TextInput
                  inputMode="decimal"
                  value={budget.amount}
                  onChange={(event) => setBudget({ ...budget, amount: event.target.value })}
                />
              </Field>
              <Field label="Unit of the budget" error={violationOf(violations, 'budget.unit')}>
                <TextInput
                  placeholder="EUR"
                  value={budget.unit}
                  onChange={(event) => setBudget({ ...budget, unit: event.target.value })}
                />
              </Field>
              <Field label="Budget for" error={violationOf(violations, 'budget.per')}>
                <Select
                  value={budget.per}
                  onChange={(event) =>
                    setBudget({ ...budget, per: event.target.value as 'day' | 'month' })
                  }
                  options={[
                    { value: 'day', label: 'Each day (UTC)' },
                    { value: 'month', label: 'Each month (UTC)' },
                  ]}
                />
              </Field>
            </div>
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}

function textOf(limit: Limit | null, name: Exclude<keyof LimitBody, 'budget'>): string {
  return String(limit?.[name] ?? '');
}

function budgetText(limit: Limit | null) {
  const { unit = '', amount = '', per = 'month' } = limit?.budget ?? {};
  return { unit, amount: String(amount), per };
}

/** What was typed otherwise than it was. */
function editedOf(
  limit: Limit | null,
  texts: Readonly<Record<string, string>>,
  budget: ReturnType<typeof budgetText>,
): LimitBody {
  const edited: Record<string, unknown> = {};
  for (const name of SUBJECTS) {
    const text = (texts[name] ?? '').trim();
    if (text !== textOf(limit, name)) edited[name] = text === '' ? null : text;
  }
  for (const [name] of COUNTS) {
    const text = (texts[name] ?? '').trim();
    if (text !== textOf(limit, name)) edited[name] = numberOf(text);
  }
  const { unit, amount, per } = budget;
  const isEmpty = unit.trim() === '' && amount.trim() === '';
  if (JSON.stringify(budget) !== JSON.stringify(budgetText(limit))) {
    edited['budget'] = isEmpty ? null : { unit: unit.trim(), amount: numberOf(amount), per };
  }
  return edited;
}

async function limitOf(id: string): Promise<Limit> {
  return (await client.GET('/api/v1/limits/{id}', { params: { path: { id } } })).data!;
}

/** The members of a limit that one may write. */
function writtenOf(limit: Limit): LimitBody {
  const names = [...SUBJECTS, ...COUNTS.map(([name]) => name), 'budget' as const];
  return Object.fromEntries(names.map((name) => [name, limit[name]]));
}
