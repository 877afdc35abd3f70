import { useRef, useState } from 'react';
import { client, type Schema } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { Checkbox, Field, Select, TextArea, TextInput, violationOf } from '../../../ui/field';
import { FormDialog } from '../../../ui/form-dialog';
import { OrganizationInput } from '../../../ui/organization-inputs';
import { type Saved, SetAside } from '../../../ui/save-fault';
import { present } from '../../../ui/search';
import { notify } from '../../../ui/toast';
import { refreshAccess } from '../query-keys';
import { PolicyCheck } from './policy-check';
import { PolicyTests } from './policy-tests';
import { TEMPLATES } from './policy-templates';

type Policy = Schema<'PolicyDto'>;
type Test = Schema<'PolicyTestDto'>;

/** What can be changed of a policy. */
interface PolicyDraft {
  readonly description: string;
  readonly enabled: boolean;
  readonly text: string;
  readonly tests: readonly Test[];
}

/** Writes a policy: its text is checked as one types. */
export function PolicyForm({
  policy,
  onClose,
}: {
  readonly policy: Policy | null;
  readonly onClose: () => void;
}) {
  const [id, setId] = useState(policy?.id ?? '');
  const [organization, setOrganization] = useState('');
  const [description, setDescription] = useState(policy?.description ?? '');
  const [text, setText] = useState(policy?.text ?? TEMPLATES[0]!.text);
  const [enabled, setEnabled] = useState(policy?.enabled ?? true);
  const [tests, setTests] = useState<readonly Test[]>(policy?.tests ?? []);
  // Whoever looks at a template has not lost what was written before.
  const [ownText, setOwnText] = useState('');
  const over = useRef(policy?.version);
  const [aside, setAside] = useState<{ mine: PolicyDraft; version: number } | null>(null);
  const [offersForce, setOffersForce] = useState(false);
  const [force, setForce] = useState(false);
  const written = {
    ...present({
      organization: policy?.organization ?? organization.trim(),
      description: description.trim(),
    }),
    id: id.trim(),
    enabled,
    text,
    tests,
  } as Schema<'WrittenPolicyDto'>;
  const save = async () => {
    let saved: Policy | undefined;
    const query = force ? { force: 'true' as const } : {};
    try {
      if (policy === null) {
        saved = (await client.POST('/api/v1/policies', { params: { query }, body: written })).data;
      } else {
        const changed = await client.PATCH('/api/v1/policies/{id}', {
          params: {
            path: { id: policy.id },
            query,
            header: { 'If-Match': `"${over.current}"` },
          },
          body: {
            description: description.trim() || null,
            enabled,
            text,
            tests: [...tests],
          } as unknown as Schema<'PatchPolicyDto'>,
        });
        saved = changed.data;
      }
    } catch (thrown) {
      setOffersForce(asProblem(thrown).violations.some(({ field }) => isOther(field)));
      throw thrown;
    }
    const warnings = saved?.warnings ?? [];
    notify(
      [
        `The policy ${written.id} is ${enabled ? 'in force' : 'saved, out of force'}.`,
        ...warnings,
      ].join(' '),
    );
    await refreshAccess();
  };
  const mine: PolicyDraft = { description, enabled, text, tests };
  const show = (draft: PolicyDraft) => {
    setDescription(draft.description);
    setEnabled(draft.enabled);
    setText(draft.text);
    setTests(draft.tests);
  };
  return (
    <FormDialog<PolicyDraft>
      wide
      title={policy === null ? 'New policy' : `Change the policy ${policy.id}`}
      description="Statements of Cedar. A forbid wins over every permit."
      action="Save"
      onClose={onClose}
      onSubmit={save}
      ways={
        policy === null
          ? undefined
          : (run, clear) => ({
              mineOver: () => mine,
              read: () => readPolicy(policy.id),
              onLoad: (saved) => {
                setAside({ mine, version: saved.version });
                over.current = saved.version;
                show(saved.written);
                clear();
              },
              onOverwrite: (saved) => {
                over.current = saved.version;
                run();
              },
            })
      }
    >
      {(violations) => (
        <>
          {aside && (
            <SetAside
              version={aside.version}
              onRestore={() => {
                show(aside.mine);
                setAside(null);
              }}
            />
          )}
          <div className="access-pair">
            {policy === null && (
              <>
                <Field label="Id" error={violationOf(violations, 'id')}>
                  <TextInput required value={id} onChange={(event) => setId(event.target.value)} />
                </Field>
                <Field
                  label="Organization"
                  hint="Whose callers it is for. Empty: all."
                  error={violationOf(violations, 'organization')}
                >
                  <OrganizationInput value={organization} onChange={setOrganization} />
                </Field>
                <Field label="Begin with">
                  <Select
                    value={TEMPLATES.find((each) => each.text === text)?.label ?? ''}
                    onChange={({ target }) => {
                      if (!isTemplate(text)) setOwnText(text);
                      setText(
                        TEMPLATES.find(({ label }) => label === target.value)?.text ?? ownText,
                      );
                    }}
                    options={[
                      { value: '', label: 'My own text' },
                      ...TEMPLATES.map(({ label }) => ({ value: label, label })),
                    ]}
                  />
                </Field>
              </>
            )}
            <Field label="Description" error={violationOf(violations, 'description')}>
              <TextInput
                value={description}
                onChange={(event) => setDescription(event.target.value)}
              />
            </Field>
          </div>
          <Field label="Text" error={violationOf(violations, 'text')}>
            <TextArea
              className="access-policy"
              rows={10}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <PolicyCheck policy={written} />
          <PolicyTests tests={tests} onChange={setTests} violations={violations} />
          <Checkbox
            label="In force"
            checked={enabled}
            onChange={(event) => setEnabled(event.target.checked)}
          />
          {offersForce && (
            <Checkbox
              label="Save although tests of other policies fail"
              checked={force}
              onChange={(event) => setForce(event.target.checked)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

async function readPolicy(id: string): Promise<Saved<PolicyDraft>> {
  const { data } = await client.GET('/api/v1/policies/{id}', { params: { path: { id } } });
  const { version, description, enabled, text, tests } = data!;
  return {
    version: version ?? 0,
    written: { description: description ?? '', enabled, text, tests },
  };
}

/** A test of another policy, which `force` passes over. */
function isOther(field: string): boolean {
  return field.startsWith('policies[');
}

function isTemplate(text: string): boolean {
  return TEMPLATES.some((each) => each.text === text);
}
